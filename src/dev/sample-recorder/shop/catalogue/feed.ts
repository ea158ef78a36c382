/** The article list as the buying department sends it. */
export const feed: readonly string[] = [
  'tea-001;Sencha Fukamushi;tea;120;EUR 1290;USD 1450;CHF 1350',
  'tea-002;Darjeeling First Flush;tea;100;EUR 1690;USD 1850;CHF 1750',
  'tea-003;Lapsang Souchong;tea;100;EUR 990;USD 1090;CHF 1050',
  'cof-001;Espresso Roma;coffee;1000;EUR 2190;USD 2390;CHF 2290',
  'cof-002;Filter No. 4;coffee;500;EUR 1390;USD 1490;CHF 1450',
  'pot-001;Teapot, cast iron;pottery;1800;EUR 6900;USD 7400;CHF 7100',
  'pot-002;Cup, stoneware;pottery;320;EUR 1850;USD 1990;CHF 1900',
  'pot-003;Matcha bowl;pottery;410;EUR 3400;USD 3650',
  'boo-001;The Book of Tea;books;240;EUR 1200;USD 1300;CHF 1250',
  'boo-002;C++ and Coffee;books;640;EUR 3900;USD 4200;CHF 4100',
]
