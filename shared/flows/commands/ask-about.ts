import type { Call, Form } from '../../conversation/index.ts';
import { type FormTexts, formTexts } from '../../texts/forms/index.ts';
import { say } from '../../texts/index.ts';
import { completed } from './complete.ts';
import { askOpenly } from './ask.ts';
import { type Called, type Run, stale, tell, words } from './run.ts';
import type { MessageCommandSpec, OnMessageTexts } from './spec.ts';

/** Opens a form that wants to know what; the question then takes the way of every question. */
export const onMessage = {
  name: 'ask-about',
  label: 'Ask about this',
} as const satisfies MessageCommandSpec;

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
  title: texts('about'),
  submit: texts('send'),
  action: { name: 'ask.about', args: [] },
  fields: [
    {
      id: 'question',
      label: texts('question'),
      hint: texts('hint'),
      optional: true,
      kind: 'line',
      most: 1_000,
    },
    { id: 'message', label: texts('message'), optional: true, kind: 'paragraph', most: LONGEST, value: text },
  ],
});

/** A form that could not be opened in time. */
export const runOnMessage: Run<Called<'on-message'>> = (called, deps) =>
  tell(called, words(say(called.locale, 'commands.form-unopened'), 'bad'), deps);

/** Answers the form in Slack, for who asked alone; a question of the menu in the open. Discord's front makes a question of its own of it. */
export const act: Run<Called<'action' | 'form'>> = async (called, deps, delivery) => {
  const { call, locale } = called;
  if (call.kind === 'form' && call.action.name === 'ask.openly')
    return askOpenly(called, deps, call.values['question'] ?? '');
  if (call.kind !== 'form' || call.action.name !== 'ask.about') return stale(called, deps);
  const texts = formTexts(locale);
  const { question = '', message = '' } = call.values;
  const quoted = message === '' ? '' : `\n\n${texts('message')}\n${message.replaceAll(/^/gmu, '> ')}`;
  return completed(called, deps, delivery, (question.trim() || texts('explain')) + quoted);
};

export const texts = {
  onMessage: {
    en: 'Ask about this',
    de: 'Danach fragen',
    fr: 'Poser une question',
    es: 'Preguntar sobre esto',
    pt: 'Perguntar sobre isto',
    ja: 'これについて質問',
    ko: '이것에 대해 묻기',
    zh: '就此提问',
  },
} satisfies OnMessageTexts;
