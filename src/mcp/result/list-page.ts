interface Page {
  next_page_token?: string | undefined
  pagination?: { total_size?: number | undefined } | undefined
}

/** How a page of a list stands in the whole: the cursor on, how many there are, and what to say about both. */
export function listPage({ next_page_token: token, pagination }: Page, shown: number, given: string | undefined) {
  const cursor = token === undefined || token === '' ? undefined : token
  const size = pagination?.total_size ?? -1
  const known = size < 0 ? undefined : size
  const isPart = (cursor ?? given) !== undefined
  return {
    cursor,
    total: known ?? (isPart ? undefined : shown),
    range: isPart ? `${String(shown)} shown here` : 'all shown',
    truncated:
      cursor === undefined
        ? undefined
        : {
            shown,
            ...(known !== undefined && { total: known }),
            how_to_get_more: 'call again with the same arguments and cursor = next_cursor',
          },
  }
}
