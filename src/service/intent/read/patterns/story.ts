const WANTS = "(?:want|need|would like|wish|can|must|should be able|am able|expect|'d like)"
/** "As a result," and the like tell no role. */
const ROLE =
  'as (?:(?:an?|the|any|our) (?!example|alternative|aside|exception|result|consequence|option|optimi[sz]ation|addition|workaround|reminder|note|start|first)|(?:someone|somebody|anyone) )'
const STORY = new RegExp(`^(?:in order to [^.]{1,300}?,? )?${ROLE}[^,]{1,200}?,? (?:i|we|they) ${WANTS}\\b`, 'i')
const WISH = /\b(?:i|we|they) (?:want|need|would like|wish|can|must|should be able|am able|expect|'d like)(?: to)? /i

/** Whether the sentence is a user story: "As a …, I want …". */
export function isStory(sentence: string): boolean {
  return STORY.test(sentence)
}

/** What the person of the story wants, without the reason; the sentence when it is no story. */
export function storyWish(sentence: string): string {
  const wish = WISH.exec(sentence)
  if (wish === null) return sentence
  return sentence.slice(wish.index + wish[0].length).replace(/,?\s+so (?:that|I|we)\b.*$/is, '')
}
