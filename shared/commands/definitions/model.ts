import type { CommandsContext } from '../context.ts';
import type { Card, CardPart } from '../../domain/index.ts';
import { wordForLevel } from '../../settings/index.ts';
import { resolve } from '../../settings/rules/index.ts';
import type { StoredLevel } from '../../storage/index.ts';
import {
  localize,
  modelLabel,
  SCOPE_OPTION,
  forWhomLabel,
  scopeDescription,
  meLabel,
  threadLabel,
  channelLabel,
  workspaceLabel,
} from '../../i18n/index.ts';
import { withBackButton } from '../framework/back-to-home.ts';
import { parseLevel, changeSetting, parseLevelOption } from './parts/change-setting.ts';
import { formatModelFacts, filterModels, TYPICAL_TURN, type ModelRequirements } from './parts/model-facts.ts';
import { createRetirementNotes } from './parts/model-retirement.ts';
import type { RulesOf } from '../framework/option-rules.ts';
import {
  type InteractionRequest,
  type CommandRequest,
  type CommandHandler,
  replyStale,
  replyCard,
} from '../framework/types.ts';
import { withCurrentSettings } from './parts/settings-card.ts';
import type { CommandSpec, TextsOf } from '../framework/command-spec.ts';
import { listLevels, createMenus } from './parts/model-menus.ts';

export const spec = {
  name: 'model',
  options: [
    { name: 'model', kind: 'text', max: 150, suggests: 'model' },
    SCOPE_OPTION,
    {
      name: 'takes',
      kind: 'text',
      choices: ['image', 'audio', 'video', 'tools', 'reasoning'],
    },
    { name: 'below', kind: 'number', min: 0, max: 10_000, decimal: true },
  ],
} as const satisfies CommandSpec;

export const rules: RulesOf<typeof spec> = {
  for: { onlyWith: { model: 'given' } },
  takes: { onlyWith: { model: 'absent' } },
  below: { onlyWith: { model: 'absent' } },
};

export const helpOrder = 2;

/** Lists all models, or those that meet the requirements; or selects one, for the caller unless another level is given. */
export const run: CommandHandler<CommandRequest> = async (request, context) => {
  const { model, takes, below } = request.options;
  const level = parseLevelOption(request.options['for']);
  const requirements: ModelRequirements = {
    takes: takes === undefined ? undefined : String(takes),
    below: typeof below === 'number' ? below : undefined,
  };
  const card =
    model === undefined
      ? await createModelsCard(request, context, requirements)
      : await chooseModel(request, context, level, String(model));
  return replyCard(request, card, context);
};

/** Handles the menus of the card, `model.use|level`, and the button that shows the card, `model.show`. */
export const onAction: CommandHandler<InteractionRequest<'action' | 'form'>> = async (request, context) => {
  const { payload } = request;
  if (payload.action.name === 'model.show')
    return replyCard(request, withBackButton(request, await createModelsCard(request, context)), context);
  const level = parseLevel(payload.action.args[0]);
  if (payload.kind !== 'action' || payload.action.name !== 'model.use' || !level || !payload.chosen[0])
    return replyStale(request, context);
  const card = await chooseModel(request, context, level, payload.chosen[0]);
  return replyCard(request, withBackButton(request, card), context);
};

async function chooseModel(
  request: InteractionRequest,
  context: CommandsContext,
  level: StoredLevel,
  model: string,
): Promise<Card> {
  const value = model === 'reset' ? undefined : model;
  const no = await changeSetting(request, context, { kind: 'value', level, setting: 'model', value });
  return no ?? (await createModelsCard(request, await withCurrentSettings(request, context)));
}

/** Returns the usage of the last turn in this thread; a typical one outside of threads. */
async function findThreadUsage(
  { interaction: { thread } }: InteractionRequest,
  { turns }: Pick<CommandsContext, 'turns'>,
) {
  const outcome = thread && (await turns.findByMessage(thread))?.content?.outcome;
  return (outcome?.kind === 'answered' && outcome.usage) || TYPICAL_TURN;
}

/** The number of models on the card; menus contain more. */
const MAX_REPORTED = 20;

async function createModelsCard(
  request: InteractionRequest,
  context: CommandsContext,
  requirements: ModelRequirements = {},
): Promise<Card> {
  const { locale } = request;
  const turn = await findThreadUsage(request, context);
  const model = context.settings.model ?? context.chat.model ?? '–';
  const levels = listLevels(request, context);
  const known = await context.chat.listModels();
  // People who may not select a model see the current one.
  const list = levels.length > 0 ? known : known.filter(({ id }) => id === model);
  const models = filterModels(list, requirements, turn);
  const { from, lock } = resolve('model', context.settings.layers);
  const now = localize(locale, 'settings.model.now', { model });
  const origin = ` (${localize(locale, `settings.from.${wordForLevel(from ?? 'deployment', request.interaction.platform)}`)})`;
  const lockReason = lock ? ` 🔒 ${lock.reason}`.trimEnd() : '';
  const parts: CardPart[] = [
    { kind: 'text', markdown: `${now}${origin}${lockReason}` },
    ...(await createRetirementNotes(locale, context)),
  ];
  const title = localize(locale, 'settings.model.title');
  if (list.length === 0) return { title, parts };
  if (models.length === 0)
    return { title, parts: [...parts, { kind: 'text', markdown: localize(locale, 'settings.model.none') }] };
  const lines = models
    .slice(0, MAX_REPORTED)
    .map((one) => `- \`${one.id}\` ${formatModelFacts(one, turn, locale)}`);
  const tokens = turn.promptTokens + turn.completionTokens;
  parts.push(
    { kind: 'text', markdown: lines.join('\n') },
    ...(levels.length > 0
      ? [
          {
            kind: 'controls' as const,
            controls: createMenus(request, levels, context, models, (one) =>
              formatModelFacts(one, turn, locale),
            ),
          },
        ]
      : []),
    { kind: 'note', markdown: localize(locale, 'settings.model.price', { tokens }) },
  );
  return { title, parts };
}

export const texts = {
  name: modelLabel,
  about: {
    en: 'See and choose the model',
    de: 'Das Modell ansehen und wählen',
    fr: 'Voir et choisir le modèle',
    es: 'Ver y elegir el modelo',
    pt: 'Ver e escolher o modelo',
    ja: 'モデルの表示と選択',
    ko: '모델 보기와 선택',
    zh: '查看和选择模型',
  },
  'model.name': modelLabel,
  'model.about': {
    en: 'Its name',
    de: 'Name des Modells',
    fr: 'Nom du modèle',
    es: 'Nombre del modelo',
    pt: 'Nome do modelo',
    ja: 'モデル名',
    ko: '모델 이름',
    zh: '模型名称',
  },
  'for.name': forWhomLabel,
  'for.about': scopeDescription,
  'for=me': meLabel,
  'for=thread': threadLabel,
  'for=channel': channelLabel,
  'for=workspace': workspaceLabel,
  'takes.name': {
    en: 'takes',
    de: 'kann',
    fr: 'accepte',
    es: 'admite',
    pt: 'aceita',
    ja: '対応',
    ko: '지원',
    zh: '支持',
  },
  'takes.about': {
    en: 'Only those that take or can this',
    de: 'Nur Modelle, die das annehmen oder können',
    fr: 'Seulement ceux qui l’acceptent ou en sont capables',
    es: 'Solo los que lo admiten o pueden hacerlo',
    pt: 'Só os que aceitam ou fazem isto',
    ja: 'これに対応するモデルだけ',
    ko: '이것을 다룰 수 있는 것만',
    zh: '仅显示支持此项的模型',
  },
  'takes=image': {
    en: 'Pictures',
    de: 'Bilder',
    fr: 'Images',
    es: 'Imágenes',
    pt: 'Imagens',
    ja: '画像',
    ko: '이미지',
    zh: '图片',
  },
  'takes=audio': {
    en: 'Sound',
    de: 'Audio',
    fr: 'Audio',
    es: 'Audio',
    pt: 'Áudio',
    ja: '音声',
    ko: '오디오',
    zh: '音频',
  },
  'takes=video': {
    en: 'Videos',
    de: 'Videos',
    fr: 'Vidéos',
    es: 'Vídeos',
    pt: 'Vídeos',
    ja: '動画',
    ko: '동영상',
    zh: '视频',
  },
  'takes=tools': {
    en: 'Tools',
    de: 'Tools',
    fr: 'Outils',
    es: 'Herramientas',
    pt: 'Ferramentas',
    ja: 'ツール',
    ko: '도구',
    zh: '工具',
  },
  'takes=reasoning': {
    en: 'Reasoning',
    de: 'Überlegung',
    fr: 'Raisonnement',
    es: 'Razonamiento',
    pt: 'Raciocínio',
    ja: '思考',
    ko: '추론',
    zh: '推理',
  },
  'below.name': {
    en: 'below',
    de: 'höchstpreis',
    fr: 'prix-max',
    es: 'precio-máximo',
    pt: 'preço-máximo',
    ja: '上限価格',
    ko: '최대가격',
    zh: '最高价格',
  },
  'below.about': {
    en: 'Only those that cost no more dollars per 1,000 turns',
    de: 'Nur Modelle, bei denen 1.000 Fragen höchstens so viele Dollar kosten',
    fr: 'Seulement ceux dont 1 000 questions ne coûtent pas plus que ce montant en dollars',
    es: 'Solo los que cuestan como mucho este importe en dólares por 1000 preguntas',
    pt: 'Só os que custam no máximo este valor em dólares por 1.000 perguntas',
    ja: '質問 1,000 回あたり、この金額（ドル）以下のモデルだけ',
    ko: '질문 1,000회당 이 금액(달러) 이하인 것만',
    zh: '仅显示每 1,000 次提问不超过此美元金额的模型',
  },
} satisfies TextsOf<typeof spec>;
