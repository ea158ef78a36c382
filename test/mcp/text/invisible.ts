/** Invisible characters, except newlines, tabs and the selector of an emoji. */
export const invisible = /[[\p{Cc}\p{Surrogate}\p{Default_Ignorable_Code_Point}]--[\ufe0f\n\t]]/v
