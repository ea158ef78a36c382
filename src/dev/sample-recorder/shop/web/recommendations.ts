import type { Product } from '../catalogue/product.ts'
import { read } from './api.ts'
import { element } from './dom.ts'

/** What others bought, with pictures. Loaded after the rest of the page. */
export async function showRecommendations(): Promise<void> {
  const products = await read<Product[]>('/api/recommendations')
  element('#recommendations').replaceChildren(...products.map((product) => picture(product)))
}

function picture({ cover, name }: Product): HTMLImageElement {
  const image = new Image()
  image.src = cover.url
  image.alt = cover.alt
  image.title = name
  return image
}
