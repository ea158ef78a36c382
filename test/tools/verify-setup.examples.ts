import type { ToolExamples } from './tool-examples.ts'

export const examples: ToolExamples = {
  phrasings: [
    'is the product set up correctly',
    'verify the setup',
    'what is missing in the setup',
    'check that errors and test reports arrive',
    'which setup steps are left',
    'mark the onboarding step as done',
    'is everything set up to receive errors',
    'check the setup of this product',
    'onboarding: what is the next step',
    'complete an onboarding step',
  ],
  hostileCalls: [{}],
}
