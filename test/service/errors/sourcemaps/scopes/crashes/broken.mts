function load(setting: string | undefined): string {
  if (setting === undefined) throw new Error('a setting is missing')
  return setting
}

export const setting = load(process.env['TRACEGATE_UNSET'])
