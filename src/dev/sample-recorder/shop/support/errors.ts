/** An error the shop raises on purpose; `status` is what the API answers. */
export class ShopError extends Error {
  override readonly name: string = 'ShopError'
  readonly status: number = 500
}

/** The customer asked for something that is not there. */
export class NotFoundError extends ShopError {
  override readonly name = 'NotFoundError'
  override readonly status = 404
}

/** The customer typed something the shop cannot use. */
export class ValidationError extends ShopError {
  override readonly name = 'ValidationError'
  override readonly status = 422
  readonly field: string

  constructor(field: string, message: string) {
    super(message)
    this.field = field
  }
}

/** Someone else took longer than we wait. */
export class DeadlineError extends ShopError {
  override readonly name = 'DeadlineError'
  override readonly status = 504
}
