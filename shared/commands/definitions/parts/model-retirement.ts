import type { CommandsContext } from '../../context.ts';
import type { CardPart } from '../../../domain/index.ts';
import type { ListedModel } from '../../../ports/index.ts';
import {
  type Locale,
  localize,
  formatCommand,
  getCommandFormat,
  getDateLocale,
  modelLabel,
} from '../../../i18n/index.ts';
import { getErrorFacts } from '../../../utils/index.ts';
import type { InteractionRequest } from '../../framework/types.ts';

/** How long after the retirement of a model its announcement is stored. */
const NOTICE_TTL_MS = 30 * 86_400_000;

type RetirementContext = Pick<CommandsContext, 'chat' | 'settings'>;
type RetiringModel = Pick<ListedModel, 'id'> & {
  readonly retirement: NonNullable<ListedModel['retirement']>;
};

/** Returns the models in use here that the upstream will switch off: the model, its stand-in models and those of the buttons. */
async function retiringModels({ chat, settings }: RetirementContext): Promise<RetiringModel[]> {
  const used = new Set([settings.model ?? chat.model, ...settings.standIns, ...settings.otherModels]);
  const listed = await chat.listModels();
  return listed.flatMap(({ id, retirement }) => (retirement && used.has(id) ? [{ id, retirement }] : []));
}

function retirementText({ id, retirement: { at, replacement } }: RetiringModel, locale: Locale): string {
  const day = { dateStyle: 'long', timeZone: 'UTC' } as const;
  const date = new Intl.DateTimeFormat(getDateLocale(locale), day).format(at);
  return replacement === undefined
    ? localize(locale, 'settings.model.retires', { model: id, date })
    : localize(locale, 'settings.model.retires-for', { model: id, date, replacement });
}

/** Builds the notes about models in use here that will be switched off. */
export async function createRetirementNotes(locale: Locale, context: RetirementContext): Promise<CardPart[]> {
  const retiring = await retiringModels(context);
  return retiring.map((model) => ({ kind: 'text', markdown: retirementText(model, locale) }));
}

/**
 * Tells an administrator in a direct message that models in use here will be switched off: once for each model, date and
 * workspace, whoever of its administrators uses the bot first. Never rejects: App Home and the card of `model` say it too.
 */
export async function announceRetirements(
  { interaction, locale }: InteractionRequest,
  context: RetirementContext & Pick<CommandsContext, 'settingsStore' | 'messenger' | 'log'>,
): Promise<void> {
  const { by } = interaction;
  try {
    for (const model of await retiringModels(context)) {
      const { at } = model.retirement;
      const notice = `retirement#${model.id}#${at}`;
      if (!(await context.settingsStore.claimNotice(interaction, notice, at + NOTICE_TTL_MS))) continue;
      const command = formatCommand(modelLabel, getCommandFormat(interaction), context.settings);
      const markdown = `${retirementText(model, locale)} ${localize(locale, 'settings.model.retires-how', { command })}`;
      await context.messenger.sendDirectMessage(interaction, by.user, {
        parts: [{ kind: 'text', markdown }],
      });
      context.log('model.retirement-announced', { model: model.id, workspace: interaction.workspace });
    }
  } catch (error) {
    context.log('model.announcement-failed', getErrorFacts(error));
  }
}
