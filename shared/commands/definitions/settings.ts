import type { CommandsContext } from '../context.ts';
import { PLATFORM_TRAITS, type Card } from '../../domain/index.ts';
import {
  type SettingChange,
  isSetting,
  type SettingLock,
  MAX_INSTRUCTIONS_LENGTH,
  SETTINGS,
  parseYesNo,
} from '../../settings/rules/index.ts';
import { resolveInteractionLocale } from '../../settings/index.ts';
import type { StoredLevel } from '../../storage/index.ts';
import { parseLevel, changeSetting, findChangeRefusal, parseLevelOption } from './parts/change-setting.ts';
import {
  SCOPE_OPTION,
  nameLabel,
  settingsLabel,
  valueLabel,
  THREAD_SETTINGS,
  forWhomLabel,
  scopeDescription,
  meLabel,
  threadLabel,
  channelLabel,
  workspaceLabel,
} from '../../i18n/index.ts';
import { createHomeCard } from './home.ts';
import { createLogCard } from './parts/log-card.ts';
import type { RulesOf } from '../framework/option-rules.ts';
import {
  type InteractionRequest,
  type CommandRequest,
  type CommandHandler,
  replyStale,
  replyCard,
  textCard,
} from '../framework/types.ts';
import { parseSettingValue } from '../arguments/setting-value.ts';
import { createSettingsCard } from './parts/settings-card.ts';
import type {
  CommandSpec,
  FindOpeningAction,
  MessageCommandSpec,
  MessageCommandTexts,
  TextsOf,
} from '../framework/command-spec.ts';

/** Opens the modal for the value of a setting. */
export const opens: FindOpeningAction = ({ name, value, for: level = 'me', lock }) =>
  name === undefined || value !== undefined || lock !== undefined
    ? undefined
    : { name: 'settings.set-form', args: [String(level), String(name)] };

export const spec = {
  name: 'settings',
  options: [
    { name: 'name', kind: 'text', max: 40 },
    { name: 'value', kind: 'text', max: MAX_INSTRUCTIONS_LENGTH, rest: true, mentions: true },
    SCOPE_OPTION,
    { name: 'lock', kind: 'text', max: 200 },
  ],
  opens,
} as const satisfies CommandSpec;

export const rules: RulesOf<typeof spec> = {
  value: { onlyWith: { name: 'given' } },
  lock: { onlyWith: { name: 'given' } },
};

export const helpOrder = 6;

/** Slack's slash commands do not name their thread. */
export const messageCommand = {
  name: 'settings',
  label: 'Thread settings',
  platforms: ['slack'],
} as const satisfies MessageCommandSpec;

/** Shows the settings of a message's thread, with menus that change them. */
export const runMessageCommand: CommandHandler<InteractionRequest<'on-message'>> = async (
  request,
  context,
) => {
  const { thread } = request.payload.message;
  const inThread = { ...request, interaction: { ...request.interaction, thread } };
  return replyCard(inThread, await createSettingsCard(inThread, 'thread', context), context);
};

/** Shows the settings of a level, or changes one: its value and lock, both or neither. */
export const run: CommandHandler<CommandRequest> = async (request, context) => {
  const { name, value, lock } = request.options;
  const level = parseLevelOption(request.options['for']);
  if (name === undefined)
    return replyCard(request, await createSettingsCard(request, level, context), context);
  const setting = normalizeName(String(name));
  const parsed =
    value === undefined ? undefined : await parseValue(request, context, level, setting, String(value));
  if (parsed && 'parts' in parsed) return replyCard(request, parsed, context);
  const changes: (SettingChange & { readonly level: StoredLevel })[] = [
    ...(parsed ? [{ kind: 'value' as const, level, setting, ...parsed }] : []),
    ...(lock === undefined ? [] : [{ kind: 'lock' as const, level, setting, lock: parseLock(String(lock)) }]),
  ];
  for (const change of changes) {
    const refusal = await findChangeRefusal(request, context, change);
    if (refusal) return replyCard(request, refusal, context);
  }
  for (const change of changes) {
    const refusal = await changeSetting(request, context, change);
    if (refusal) return replyCard(request, refusal, context);
  }
  const current = await withCurrentLocale(request, setting, context);
  const changed = changes.length > 0 ? setting : undefined;
  return replyCard(request, await createSettingsCard(current, level, context, changed), context);
};

/** Parses a typed value; returns a card if it is invalid. Checks permissions first, before any lookup of people. */
async function parseValue(
  request: InteractionRequest,
  context: CommandsContext,
  level: StoredLevel,
  setting: string,
  text: string,
): Promise<{ readonly value: unknown } | Card> {
  const refusal = await findChangeRefusal(request, context, {
    kind: 'value',
    level,
    setting,
    value: undefined,
  });
  if (refusal) return refusal;
  const read = await parseSettingValue(request, context, setting, text);
  return 'sentence' in read ? textCard(read.sentence, 'bad') : read;
}

/** After a change of the language, the response uses the new one. */
async function withCurrentLocale<C extends InteractionRequest>(
  request: C,
  setting: string,
  context: CommandsContext,
): Promise<C> {
  if (setting !== 'language') return request;
  return { ...request, locale: await resolveInteractionLocale(request.interaction, context) };
}

/** Finds the name of a setting, in any case. */
function normalizeName(input: string): string {
  return Object.keys(SETTINGS).find((one) => one.toLowerCase() === input.toLowerCase()) ?? input;
}

/** Parses a lock: a no in any language removes it, a yes sets it without a reason, any other text is the reason. */
function parseLock(written: string): SettingLock | undefined {
  const word = written.trim();
  const yesNo = word.toLowerCase() === 'reset' ? false : parseYesNo(word);
  if (yesNo === false) return undefined;
  return { reason: yesNo === true ? '' : word };
}

/**
 * Handles the controls of a settings card, `settings.show|level`, `settings.log|level` and
 * `settings.set|level|setting|revision`, and the modal `settings.write|level|setting`.
 */
export const onAction: CommandHandler<InteractionRequest<'action' | 'form'>> = async (request, context) => {
  const { payload } = request;
  const [to, written = '', revision = ''] = payload.action.args;
  const [level, setting] = [parseLevel(to), normalizeName(written)];
  if (!level) return replyStale(request, context);
  switch (`${payload.kind} ${payload.action.name}`) {
    case 'action settings.show':
      return replyCard(request, await createCard(request, level, context), context);
    case 'action settings.log':
      return replyCard(request, await createLogCard(request, level, context), context);
    case 'action settings.set':
    case 'form settings.write':
      break;
    default:
      return replyStale(request, context);
  }
  // A menu shows the settings of its revision; a modal shows none.
  const expected = payload.kind === 'form' ? undefined : Number(revision || 'none');
  if (!isSetting(setting) || Number.isNaN(expected)) return replyStale(request, context);
  const value = payload.kind === 'form' ? payload.values['value'] : payload.chosen[0];
  const parsed = await parseValue(request, context, level, setting, value ?? 'reset');
  if ('parts' in parsed) return replyCard(request, parsed, context);
  const no = await changeSetting(request, context, { kind: 'value', level, setting, ...parsed }, expected);
  return replyCard(
    request,
    no ?? (await createCard(await withCurrentLocale(request, setting, context), level, context)),
    context,
  );
};

/** Returns the card after a change; in App Home, which has no channel, the whole view. */
function createCard(
  request: InteractionRequest,
  level: StoredLevel,
  context: CommandsContext,
): Promise<Card> {
  const { platform, channel } = request.interaction;
  const isInAppHome = PLATFORM_TRAITS[platform].hasAppHome && channel === undefined && level === 'person';
  return isInAppHome ? createHomeCard(request, context) : createSettingsCard(request, level, context);
}

export const texts = {
  name: settingsLabel,
  about: {
    en: 'See and change settings',
    de: 'Einstellungen ansehen und ändern',
    fr: 'Voir et modifier les réglages',
    es: 'Ver y cambiar ajustes',
    pt: 'Ver e alterar configurações',
    ja: '設定の表示と変更',
    ko: '설정 보기와 변경',
    zh: '查看和更改设置',
  },
  'name.name': nameLabel,
  'name.about': {
    en: 'Which setting',
    de: 'Welche Einstellung',
    fr: 'Quel réglage',
    es: 'Qué ajuste',
    pt: 'Qual configuração',
    ja: '設定の名前',
    ko: '어떤 설정',
    zh: '哪项设置',
  },
  'value.name': valueLabel,
  'value.about': {
    en: 'Its new value, or reset',
    de: 'Der neue Wert, oder reset',
    fr: 'Sa nouvelle valeur, ou reset',
    es: 'Su nuevo valor, o reset',
    pt: 'O novo valor, ou reset',
    ja: '新しい値、または reset',
    ko: '새 값 또는 reset',
    zh: '新的值，或 reset',
  },
  'for.name': forWhomLabel,
  'for.about': scopeDescription,
  'for=me': meLabel,
  'for=thread': threadLabel,
  'for=channel': channelLabel,
  'for=workspace': workspaceLabel,
  'lock.name': {
    en: 'lock',
    de: 'sperre',
    fr: 'verrou',
    es: 'bloqueo',
    pt: 'bloqueio',
    ja: 'ロック',
    ko: '잠금',
    zh: '锁定',
  },
  'lock.about': {
    en: 'Hold it for all below; the reason',
    de: 'Für alle Ebenen darunter sperren; der Grund',
    fr: 'Le verrouiller pour tous les niveaux inférieurs ; la raison',
    es: 'Bloquearlo en los niveles inferiores; el motivo',
    pt: 'Bloqueá-la para todos os níveis abaixo; o motivo',
    ja: '下位の設定での変更をロックする理由',
    ko: '하위 설정에서 바꾸지 못하게 잠그는 이유',
    zh: '锁定此项，下级设置不能更改；填写原因',
  },
  messageCommand: THREAD_SETTINGS,
} satisfies TextsOf<typeof spec> & MessageCommandTexts;
