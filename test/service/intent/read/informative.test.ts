import { expect, test } from 'vitest'
import { read } from './reading.ts'

test.each([
  ['an example', 'For example, a client may set different colours.'],
  ['a note', 'Note that templates may be used for addresses.'],
  ['what a thing may have', 'A device may have more than one path.'],
  ['what may be true of a value', 'This value may be zero when the wheel stands still.'],
  ['what may be more so', 'The new method may be more costly on old machines.'],
  ['what a thing can do', 'The keyword can result in long messages.'],
  ['a description that goes on', 'This event is sent at the end and will send no further ones.'],
  ['a generality', 'Most shops on the market will require an account.'],
  ['the future of a document', 'This member MAY be removed in a future version.'],
  ['a clause with a keyword of its own', 'Simple readers use the archive each time an image needs to be read.'],
  ['an attribute', 'Folding and expansion are optional transformations of names.'],
  ['what a colleague should do', 'Tom should ask the customer.'],
  ['what is to be noted', 'It must be noted that the value is old.'],
  ['an example with a person', 'As an example, we can write the name in two ways.'],
])('%s demands nothing', async (_, sentence) => {
  expect((await read(sentence)).candidates).toEqual([])
})

test.each([
  ['A client may cache the answer.', 'PATTERN_RFC2119', 'MODALITY_MAY'],
  ['The wish list may have up to 50 products.', 'PATTERN_RFC2119', 'MODALITY_MAY'],
  ['Managers can export orders.', 'PATTERN_RFC2119', 'MODALITY_MAY'],
  ['Managers must review every report.', 'PATTERN_RFC2119', 'MODALITY_MUST'],
  ['Drivers must know the route.', 'PATTERN_RFC2119', 'MODALITY_MUST'],
  ['The value must be found in the index.', 'PATTERN_RFC2119', 'MODALITY_MUST'],
  ['The list must show closed and open orders.', 'PATTERN_RFC2119', 'MODALITY_MUST'],
  ['Whitespace is optional.', 'PATTERN_RFC2119', 'MODALITY_MAY'],
  ['If a file is found, that file SHOULD be read.', 'PATTERN_EARS_UNWANTED', 'MODALITY_SHOULD'],
  ['While an index is OPTIONAL, readers SHOULD accept one.', 'PATTERN_RFC2119', 'MODALITY_SHOULD'],
  ['THE Parser SHALL read the file.', 'PATTERN_EARS_UBIQUITOUS', 'MODALITY_MUST'],
  ['As someone who sells, I can post an offer.', 'PATTERN_USER_STORY', 'MODALITY_MUST'],
  ['In order to learn more\nAs a reader\nI want to see the sources', 'PATTERN_USER_STORY', 'MODALITY_MUST'],
])('"%s" is a demand', async (sentence, pattern, modality) => {
  const { candidates } = await read(sentence)
  expect(candidates).toMatchObject([{ pattern, modality }])
})

test('an item of a list of what is wanted says what a thing shall be able to do', async () => {
  const { candidates } = await read('## Requirements\n\n- Reports can be exported as PDF.')
  expect(candidates).toMatchObject([{ modality: 'MODALITY_MAY' }])
})
