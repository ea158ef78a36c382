import { Warehouse } from '../inventory/warehouse.ts'
import { PaymentGateway } from '../payment/gateway.ts'

const at = (name: string, fallback: string) => process.env[name] ?? fallback

/** The services of others that the shop talks to. */
export const partners = {
  carrier: at('SHOP_CARRIER', 'https://carrier.example'),
  mail: at('SHOP_MAIL', 'https://mail.example'),
  prices: at('SHOP_PRICES', 'https://prices.example'),
  payments: new PaymentGateway(at('SHOP_PAYMENTS', 'https://payments.example')),
  warehouses: ['hamburg', 'basel', 'graz'].map(
    (city) => new Warehouse(city, `${at('SHOP_WAREHOUSES', 'https://warehouses.example')}/${city}`),
  ),
}
