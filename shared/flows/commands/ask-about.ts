import type { Call, Form } from '../../conversation/index.ts';
import { type FormTexts, formTexts } from '../../texts/forms/index.ts';
import { completed } from './complete.ts';
import { type Called, DONE, type Run } from './run.ts';
import type { MessageCommandSpec } from './spec.ts';

/** Opens a form that wants to know what; the question then takes the way of every question. */
export const spec: MessageCommandSpec = {
  name: 'ask-about',
  label: 'Ask about this',
  text: 'commands.ask-about.label',
  platforms: ['slack', 'discord'],
  answers: 'private',
};

/** What an input of Slack's takes at most. */
const LONGEST = 3_000;

/**
 * Asks what somebody wants to know of a message, of which the form itself carries the text. Comes back as `ask.about`.
 * Discord's front, which cannot show the text for so long, keeps it in the table instead.
 */
export const form = (
  { text }: Pick<Extract<Call, { kind: 'on-message' }>['message'], 'text'>,
  texts: FormTexts,
): Form => ({
  title: texts.about,
  submit: texts.send,
  action: { name: 'ask.about', args: [] },
  fields: [
    { id: 'question', label: texts.question, hint: texts.hint, optional: true, kind: 'line', most: 1_000 },
    { id: 'message', label: texts.message, optional: true, kind: 'paragraph', most: LONGEST, value: text },
  ],
});

/** Answers the form in Slack, for who asked alone. Discord's front makes a question of its own of it. */
export const act: Run<Called<'action' | 'form'>> = async (called, deps, delivery) => {
  const { call, locale } = called;
  if (call.kind !== 'form' || call.action.name !== 'ask.about') return DONE;
  const texts = formTexts(locale);
  const { question = '', message = '' } = call.values;
  const quoted = message === '' ? '' : `\n\n${texts.message}\n${message.replaceAll(/^/gmu, '> ')}`;
  return completed(called, deps, delivery, (question.trim() || texts.explain) + quoted);
};
