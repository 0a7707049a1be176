import type { MessageCommandSpec } from './spec.ts';

/** Opens a form that wants to know what; the question then takes the way of every question. */
export const spec: MessageCommandSpec = {
  name: 'ask-about',
  label: 'Ask about this',
  text: 'commands.ask-about.label',
  platforms: ['discord'],
  answers: 'private',
};
