import { get } from 'node:http'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { readPriceList } from '../catalogue/price-update.ts'
import type { Mail } from '../checkout/confirmation.ts'
import { availability } from '../inventory/availability.ts'
import { NotFoundError, ShopError } from '../support/errors.ts'
import { postJson } from '../support/http.ts'
import { partners } from './partners.ts'
import { reportLowStock, trail } from './report.ts'

/** The mail service refused a mail. */
export class MailError extends ShopError {
  override readonly name = 'MailError'
}

/** Fewer pieces than this are worth a warning. */
const lowStock = 5

/** Start one of the jobs that run beside the requests. */
export function startJob(name: string, catalogue: Catalogue): Promise<void> | void {
  if (name === 'stock-watch') return watchStock(catalogue)
  if (name === 'price-update') return updatePrices()
  throw new NotFoundError(`no job ${name}`)
}

/** Hand a mail to the mail service; the customer does not wait for it. */
export function post(mail: Mail): void {
  trail('mail', mail.subject)
  void deliver(mail)
}

async function deliver(mail: Mail): Promise<void> {
  const response = await postJson(`${partners.mail}/mails`, mail)
  if (!response.ok) throw new MailError(`the mail service refused "${mail.subject}": ${response.status}`)
}

async function watchStock(catalogue: Catalogue): Promise<void> {
  for (const { sku } of catalogue.inCategory('pottery')) {
    const { pieces } = await availability(sku, partners.warehouses)
    if (pieces < lowStock) reportLowStock(sku, pieces)
  }
}

function updatePrices(): void {
  get(`${partners.prices}/prices.csv`, (response) => {
    let text = ''
    response.setEncoding('utf8')
    response.on('data', (chunk: string) => (text += chunk))
    response.on('end', () => console.info(`${readPriceList(text).length} prices are new`))
  })
}
