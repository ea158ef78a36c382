/** The system's reason for refusing a file in words, where it is a usual one. */
export function whyRefused({ code, message }: NodeJS.ErrnoException, missing = 'its folder does not exist'): string {
  return code === 'ENOENT' ? missing : (words[code ?? ''] ?? code ?? message)
}

/** What to do about a file of the data directory that the system refuses. */
export const AS_OWNER = 'run tracegate as the user who owns it, or use another data directory'

const words: Readonly<Record<string, string>> = {
  EACCES: 'there is no permission',
  EPERM: 'there is no permission',
  EROFS: 'its disk is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'no more may be stored on that disk',
  EISDIR: 'it is a folder',
  EEXIST: 'a file is in its place',
  ENOTDIR: 'a part of its path is a file',
}
