const STORY =
  /^(?:in order to [^,]{1,300}, )?as (?:an?|the|any|our) [^,]{1,200}, ?(?:i|we|they) (?:want|need|would like|wish|can|must|should be able|am able|expect|'d like)\b/i
const STORY_WITHOUT_COMMA = /^as (?:an?|the) (?:[\p{L}\p{N}'()/-]+ ){1,12}i (?:want|need|would like|can)\b/iu
const WISH = /\b(?:i|we|they) (?:want|need|would like|wish|can|must|should be able|am able|expect|'d like)(?: to)? /i

/** Whether the sentence is a user story: "As a …, I want …". */
export function isStory(sentence: string): boolean {
  return STORY.test(sentence) || STORY_WITHOUT_COMMA.test(sentence)
}

/** What the person of the story wants, without the reason; the sentence when it is no story. */
export function storyWish(sentence: string): string {
  const wish = WISH.exec(sentence)
  if (wish === null) return sentence
  return sentence.slice(wish.index + wish[0].length).replace(/,?\s+so (?:that|I|we)\b.*$/is, '')
}
