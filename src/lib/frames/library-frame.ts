/**
 * Whether a frame is stated to be of a library. A frame without `in_app` counts as the team's wherever frames are chosen,
 * because a deployment that does not tell them apart has no frames of libraries; but it is not called "in app".
 */
export function isLibraryFrame({ in_app: inApp }: { in_app?: boolean | undefined }): boolean {
  return inApp === false
}
