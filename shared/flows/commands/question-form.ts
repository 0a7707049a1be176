import type { Form } from '../../conversation/index.ts';
import type { FormTexts } from '../../texts/forms/index.ts';

/** What an input of Slack's takes at most. */
const LONGEST = 3_000;

/** Asks what somebody wants to know of a recording. Comes back as `voice.asked|message|file`. */
export const heardForm = (args: readonly string[], texts: FormTexts): Form => ({
  title: texts.about,
  submit: texts.send,
  action: { name: 'voice.asked', args },
  fields: [{ id: 'question', label: texts.question, kind: 'paragraph', most: LONGEST }],
});

/** Asks for a question, for the menu. Comes back as `ask.openly`. */
export const questionForm = (_: readonly string[], texts: FormTexts): Form => ({
  title: texts.send,
  submit: texts.send,
  action: { name: 'ask.openly', args: [] },
  fields: [{ id: 'question', label: texts.question, kind: 'paragraph', most: LONGEST }],
});
