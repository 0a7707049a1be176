import type { CommandsContext } from '../context.ts';
import type { Card } from '../../domain/index.ts';
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
import { levelIn, makeChange, refusalOf, storedLevel } from './parts/change-setting.ts';
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
import { homeCard } from './home.ts';
import { logCard } from './parts/log-card.ts';
import type { RulesOf } from '../framework/option-rules.ts';
import {
  type AnyPayload,
  type InteractionContext,
  type CommandContext,
  type CommandRun,
  staleReply,
  replyCard,
  textCard,
} from '../framework/types.ts';
import { settingValue } from '../arguments/setting-value.ts';
import { settingsCard } from './parts/settings-card.ts';
import type { CommandSpec, MessageCommandSpec, OnMessageTexts, TextsOf } from '../framework/command-spec.ts';

export const spec = {
  name: 'settings',
  options: [
    { name: 'name', kind: 'text', most: 40 },
    { name: 'value', kind: 'text', most: MAX_INSTRUCTIONS_LENGTH, rest: true, mentions: true },
    SCOPE_OPTION,
    { name: 'lock', kind: 'text', most: 200 },
  ],
  opens: ({ name, value, for: level = 'me', lock }) =>
    name === undefined || value !== undefined || lock !== undefined
      ? undefined
      : { name: 'settings.set-form', args: [String(level), String(name)] },
} as const satisfies CommandSpec;

export const rules: RulesOf<typeof spec> = {
  value: { onlyWith: { name: 'given' } },
  lock: { onlyWith: { name: 'given' } },
};

export const rank = 6;

/** Slack's commands do not say in which thread they were typed. */
export const onMessage = {
  name: 'settings',
  label: 'Thread settings',
  platforms: ['slack'],
} as const satisfies MessageCommandSpec;

/** What is set in the thread of a message; what is chosen there counts in that thread. */
export const runOnMessage: CommandRun<InteractionContext<'on-message'>> = async (called, context) => {
  const { thread } = called.call.message;
  const inThread = { ...called, invocation: { ...called.invocation, thread } };
  return replyCard(inThread, await settingsCard(inThread, 'thread', context), context);
};

/** Shows what is set at a level, or sets something there: a value and a lock that come together, both or neither. */
export const run: CommandRun<CommandContext> = async (called, context) => {
  const { name, value, lock } = called.options;
  const level = storedLevel(called.options['for']);
  if (name === undefined) return replyCard(called, await settingsCard(called, level, context), context);
  const setting = named(String(name));
  const wanted =
    value === undefined ? undefined : await valueOf(called, context, level, setting, String(value));
  if (wanted && 'parts' in wanted) return replyCard(called, wanted, context);
  const changes: (SettingChange & { readonly level: StoredLevel })[] = [
    ...(wanted ? [{ kind: 'value' as const, level, setting, ...wanted }] : []),
    ...(lock === undefined ? [] : [{ kind: 'lock' as const, level, setting, lock: lockIn(String(lock)) }]),
  ];
  for (const change of changes) {
    const refusal = await refusalOf(called, context, change);
    if (refusal) return replyCard(called, refusal, context);
  }
  for (const change of changes) {
    const refusal = await makeChange(called, context, change);
    if (refusal) return replyCard(called, refusal, context);
  }
  return replyCard(
    called,
    await settingsCard(await speakingNow(called, setting, context), level, context),
    context,
  );
};

/** The value that somebody wrote; a card that says what is wrong with it, or, before anybody is looked up, who may set it. */
async function valueOf(
  called: AnyPayload,
  context: CommandsContext,
  level: StoredLevel,
  setting: string,
  text: string,
): Promise<{ readonly value: unknown } | Card> {
  const refusal = await refusalOf(called, context, { kind: 'value', level, setting, value: undefined });
  if (refusal) return refusal;
  const read = await settingValue(called, context, setting, text);
  return 'sentence' in read ? textCard(read.sentence, 'bad') : read;
}

/** Who has just changed the language is answered in the one that holds from now on. */
async function speakingNow<C extends AnyPayload>(
  called: C,
  setting: string,
  context: CommandsContext,
): Promise<C> {
  if (setting !== 'language') return called;
  return { ...called, locale: await resolveInteractionLocale(called.invocation, context) };
}

/** Settings are named as in the docs, in whatever case. */
function named(given: string): string {
  return Object.keys(SETTINGS).find((one) => one.toLowerCase() === given.toLowerCase()) ?? given;
}

/** A lock as it is written: a no in any language takes it off, a yes puts it on without a reason, all else is the reason. */
function lockIn(written: string): SettingLock | undefined {
  const word = written.trim();
  const wanted = word.toLowerCase() === 'reset' ? false : parseYesNo(word);
  if (wanted === false) return undefined;
  return { reason: wanted === true ? '' : word };
}

/**
 * What is pressed and chosen on a settings card: `settings.show|level`, `settings.log|level`,
 * `settings.set|level|setting|revision`; and what is written in a form, `settings.write|level|setting`.
 */
export const act: CommandRun<InteractionContext<'action' | 'form'>> = async (called, context) => {
  const { call } = called;
  const [to, written = '', revision = ''] = call.action.args;
  const [level, setting] = [levelIn(to), named(written)];
  if (!level) return staleReply(called, context);
  switch (`${call.kind} ${call.action.name}`) {
    case 'action settings.show':
      return replyCard(called, await cardHere(called, level, context), context);
    case 'action settings.log':
      return replyCard(called, await logCard(called, level, context), context);
    case 'action settings.set':
    case 'form settings.write':
      break;
    default:
      return staleReply(called, context);
  }
  // A menu shows what was set when it was drawn; a form shows nothing.
  const expected = call.kind === 'form' ? undefined : Number(revision || 'none');
  if (!isSetting(setting) || Number.isNaN(expected)) return staleReply(called, context);
  const given = call.kind === 'form' ? call.values['value'] : call.chosen[0];
  const wanted = await valueOf(called, context, level, setting, given ?? 'reset');
  if ('parts' in wanted) return replyCard(called, wanted, context);
  const no = await makeChange(called, context, { kind: 'value', level, setting, ...wanted }, expected);
  return replyCard(
    called,
    no ?? (await cardHere(await speakingNow(called, setting, context), level, context)),
    context,
  );
};

/** What is changed in App Home, where there is no channel, leaves the rest of it in sight. */
function cardHere(called: AnyPayload, level: StoredLevel, context: CommandsContext): Promise<Card> {
  const { platform, channel } = called.invocation;
  const atHome = platform === 'slack' && channel === undefined && level === 'person';
  return atHome ? homeCard(called, context) : settingsCard(called, level, context);
}

export const texts = {
  name: settingsLabel,
  about: {
    en: 'See and change settings',
    de: 'Einstellungen ansehen und ändern',
    fr: 'Voir et changer les réglages',
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
    ja: 'どの設定',
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
    de: 'Für alle darunter festhalten; der Grund',
    fr: 'Le bloquer pour la suite ; la raison',
    es: 'Bloquearlo para los demás; el motivo',
    pt: 'Bloqueá-la para os outros; o motivo',
    ja: '下位で変更不可にする理由',
    ko: '아래에서 못 바꾸게 함; 이유',
    zh: '锁定下级；原因',
  },
  onMessage: THREAD_SETTINGS,
} satisfies TextsOf<typeof spec> & OnMessageTexts;
