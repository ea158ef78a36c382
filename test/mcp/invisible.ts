/** Characters that nobody sees, but for newlines, tabs and the selector of an emoji. */
export const invisible = /[[\p{Cc}\p{Surrogate}\p{Default_Ignorable_Code_Point}]--[\n\t\ufe0f]]/v
