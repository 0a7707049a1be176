import type { CommandsContext } from '../context.ts';
import type { Card, CardControl } from '../../domain/index.ts';
import { MAX_PERSONA_LENGTH } from '../../settings/rules/index.ts';
import type { Preset, StoredLevel } from '../../storage/index.ts';
import {
  localize,
  actionLabel,
  listLabel,
  nameLabel,
  removeLabel,
  saveLabel,
  showLabel,
  textLabel,
  whatToDoLabel,
  SCOPE_OPTION,
  forWhomLabel,
  scopeDescription,
  meLabel,
  threadLabel,
  channelLabel,
  workspaceLabel,
} from '../../i18n/index.ts';
import { parseLevel, changeSetting, parseLevelOption } from './parts/change-setting.ts';
import type { RulesOf } from '../framework/option-rules.ts';
import {
  type InteractionRequest,
  type CommandRequest,
  type CommandHandler,
  replyStale,
  replyCard,
} from '../framework/types.ts';
import {
  createPresetCard,
  savePresetFromForm,
  runPresetCommand,
  type PresetCommand,
  getSaveFormAction,
} from './parts/presets.ts';
import type { CommandSpec, FindOpeningAction, TextsOf } from '../framework/command-spec.ts';
import { createSettingsCard } from './parts/settings-card.ts';

/** Opens the modal that saves a new one. */
export const opens: FindOpeningAction = (options) => getSaveFormAction('persona', options);

export const spec = {
  name: 'persona',
  options: [
    { name: 'do', kind: 'text', choices: ['list', 'show', 'save', 'use', 'remove'] },
    { name: 'name', kind: 'text', max: 60, suggests: 'persona' },
    { name: 'text', kind: 'text', max: MAX_PERSONA_LENGTH, rest: true },
    SCOPE_OPTION,
  ],
  opens,
} as const satisfies CommandSpec;

export const rules: RulesOf<typeof spec> = {
  do: { default: 'list' },
  name: {
    onlyWith: { do: ['show', 'save', 'use', 'remove'] },
    requiredWith: { do: ['show', 'use', 'remove'] },
  },
  text: { onlyWith: { do: ['save'] } },
  for: { onlyWith: { do: ['use'] } },
};

export const helpOrder = 5;

const PERSONA: PresetCommand = {
  kind: 'persona',
  saveLabel: () => texts['do=save'],
  formatText: (text) => text,
  findTextError: () => undefined,
  use: (request, name, context) =>
    usePersona(request, parseLevelOption(request.options['for']), name, context),
  createListControls: ({ locale }) => [
    {
      kind: 'button',
      label: localize(locale, 'saved.persona.stop'),
      action: { name: 'persona.stop', args: ['person'] },
    },
  ],
  createUsageParts: ({ locale, admin, interaction }, persona) => {
    const button = (label: string, ...args: readonly string[]): CardControl => ({
      kind: 'button',
      label,
      action: { name: 'persona.use', args: [persona.name, ...args] },
    });
    const label = localize(locale, 'saved.persona.use-channel');
    const forChannel = admin && interaction.channel ? [button(label, 'channel', getVersion(persona))] : [];
    return [
      {
        kind: 'controls',
        controls: [button(localize(locale, 'saved.persona.use'), 'person'), ...forChannel],
      },
    ];
  },
};

export const run: CommandHandler<CommandRequest> = (request, context) =>
  runPresetCommand(PERSONA, request, context);

/** Distinguishes the words of a persona from earlier and later ones, also of another one with its name. */
const getVersion = ({ revision, at }: Preset): string => `${revision}.${at.toString(36)}`;

/** Handles `persona.use|name|level|version` and `persona.stop|level` of cards, and the modal `persona.save`. */
export const onAction: CommandHandler<InteractionRequest<'action' | 'form'>> = async (request, context) => {
  const { name, args } = request.payload.action;
  if (name !== 'persona.use' && name !== 'persona.stop') return savePresetFromForm(PERSONA, request, context);
  const level = parseLevel(name === 'persona.use' ? args[1] : args[0]);
  if (!level) return replyStale(request, context);
  const card =
    name === 'persona.use'
      ? await usePersona(request, level, args[0], context, args[2] ?? 'none')
      : await usePersona(request, level, undefined, context);
  return replyCard(request, card, context);
};

/**
 * Sets a persona at a level, or removes it. Returns the card of the level's settings, or a refusal. `seen`: the version that an administrator saw when they
 * chose it for others; its author may have changed it since.
 */
async function usePersona(
  request: InteractionRequest,
  level: StoredLevel,
  value: string | undefined,
  context: CommandsContext,
  seen?: string,
): Promise<Card> {
  const change = { kind: 'value', level, setting: 'persona', value } as const;
  const refusal = await changeSetting(request, context, change, undefined, async (persona) => {
    if (seen === undefined || seen === getVersion(persona)) return undefined;
    const card = await createPresetCard(PERSONA, request, persona.name, context);
    const notice = { kind: 'text' as const, markdown: localize(request.locale, 'settings.overtaken') };
    return { ...card, tone: 'bad', parts: [notice, ...card.parts] };
  });
  return refusal ?? (await createSettingsCard(request, level, context, 'persona'));
}

export const texts = {
  name: {
    en: 'persona',
    de: 'persona',
    fr: 'persona',
    es: 'personaje',
    pt: 'persona',
    ja: 'ペルソナ',
    ko: '페르소나',
    zh: '角色',
  },
  about: {
    en: 'Save and use personas',
    de: 'Personas speichern und benutzen',
    fr: 'Enregistrer et utiliser des personas',
    es: 'Guardar y usar personajes',
    pt: 'Salvar e usar personas',
    ja: 'ペルソナの保存と使用',
    ko: '페르소나 저장과 사용',
    zh: '保存和使用角色',
  },
  'do.name': actionLabel,
  'do.about': whatToDoLabel,
  'do=list': listLabel,
  'do=show': showLabel,
  'do=save': saveLabel,
  'do=use': {
    en: 'Use',
    de: 'Benutzen',
    fr: 'Utiliser',
    es: 'Usar',
    pt: 'Usar',
    ja: '使用',
    ko: '사용',
    zh: '使用',
  },
  'do=remove': removeLabel,
  'name.name': nameLabel,
  'name.about': {
    en: 'Its name',
    de: 'Name der Persona',
    fr: 'Nom du persona',
    es: 'Nombre del personaje',
    pt: 'Nome da persona',
    ja: '名前',
    ko: '이름',
    zh: '名称',
  },
  'text.name': textLabel,
  'text.about': {
    en: 'How I should behave',
    de: 'Wie ich mich verhalten soll',
    fr: 'Comment je dois me comporter',
    es: 'Cómo debo comportarme',
    pt: 'Como devo me comportar',
    ja: 'どのように振る舞うか',
    ko: '어떻게 행동할지',
    zh: '我应该如何表现',
  },
  'for.name': forWhomLabel,
  'for.about': scopeDescription,
  'for=me': meLabel,
  'for=thread': threadLabel,
  'for=channel': channelLabel,
  'for=workspace': workspaceLabel,
} satisfies TextsOf<typeof spec>;
