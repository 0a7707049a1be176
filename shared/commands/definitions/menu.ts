import type { Card, CardControl } from '../../domain/index.ts';
import { getFormTexts, localize } from '../../i18n/index.ts';
import * as help from './help.ts';
import * as model from './model.ts';
import {
  type InteractionRequest,
  type CommandRequest,
  type CommandHandler,
  replyCard,
} from '../framework/types.ts';
import * as settings from './settings.ts';
import * as usage from './usage.ts';

const SHOWN = [settings, model, usage, help];

/** Responds to Slack's slash command without text: buttons for the most frequent commands. */
export const run: CommandHandler<CommandRequest> = (request, context) =>
  replyCard(request, menuCard(request), context);

function menuCard({ payload, locale }: CommandRequest): Card {
  const button = ({ spec, texts }: (typeof SHOWN)[number]): CardControl => ({
    kind: 'button',
    label: localize(locale, texts.about),
    action: { name: 'menu.run', args: [payload.name, spec.name] },
  });
  const ask: CardControl = {
    kind: 'button',
    label: getFormTexts(locale)('send'),
    style: 'primary',
    action: { name: 'ask.open-form', args: [] },
  };
  return {
    title: localize(locale, 'settings.home.title'),
    parts: [
      { kind: 'text', markdown: localize(locale, 'commands.help.ask-me') },
      { kind: 'controls', controls: [ask, ...SHOWN.map(button)] },
    ],
  };
}

/** Converts a button of the menu, `menu.run|/parley|usage`, to the typed command; undefined for other actions. */
export function toTypedCommand({
  payload,
  ...caller
}: InteractionRequest<'action' | 'form'>): InteractionRequest<'command'> | undefined {
  const [name, text] = payload.action.args;
  if (payload.action.name !== 'menu.run' || name === undefined || text === undefined) return undefined;
  return { ...caller, payload: { kind: 'command', name, options: { text }, attachments: [] } };
}
