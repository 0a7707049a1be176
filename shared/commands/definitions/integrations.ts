import type { CommandsContext } from '../context.ts';
import { type Card, NO_GUILD } from '../../domain/index.ts';
import {
  actionLabel,
  integrationsLabel,
  listLabel,
  localize,
  nameLabel,
  removeLabel,
  whatToDoLabel,
} from '../../i18n/index.ts';
import { setWebhook } from './integrations/set-webhook.ts';
import {
  addIntegration,
  addIntegrationLabel,
  changeIntegration,
  removeIntegration,
  rotateKey,
  showIntegrations,
} from './integrations/edit-integrations.ts';
import { type CommandHandler, type CommandRequest, replyCard, textCard } from '../framework/types.ts';
import type { CommandSpec, TextsOf } from '../framework/command-spec.ts';
import type { RulesOf } from '../framework/option-rules.ts';

export const spec = {
  name: 'integrations',
  options: [
    { name: 'do', kind: 'text', choices: ['list', 'add', 'change', 'rotate', 'webhook', 'remove'] },
    { name: 'name', kind: 'text', max: 40 },
    { name: 'channels', kind: 'text', max: 1_000, mentions: true },
    { name: 'budget', kind: 'text', max: 60 },
    { name: 'url', kind: 'text', max: 1_000 },
    { name: 'events', kind: 'text', choices: ['all', 'answers', 'feedback', 'channels'] },
  ],
} as const satisfies CommandSpec;

export const rules: RulesOf<typeof spec> = {
  do: { default: 'list' },
  name: { onlyWith: { do: ['add', 'change', 'rotate', 'webhook', 'remove'] } },
  channels: { onlyWith: { do: ['add', 'change'] } },
  budget: { onlyWith: { do: ['add', 'change'] } },
  url: { onlyWith: { do: ['webhook'] }, requiredWith: { do: ['webhook'] } },
  events: { onlyWith: { do: ['webhook'] }, default: 'all' },
};

/** Shows and changes who may use the API, for administrators. */
export const run: CommandHandler<CommandRequest> = async (request, context) => {
  const { interaction, options } = request;
  const { platform, workspace, by } = interaction;
  const card = await createCard(request, context);
  const kind = String(options['do'] ?? 'list');
  if (kind !== 'list' && card.tone !== 'bad')
    context.log('integration.changed', { platform, workspace, user: by.user, kind });
  return replyCard(request, card, context);
};

async function createCard(request: CommandRequest, context: CommandsContext): Promise<Card> {
  const { options, locale, admin, interaction } = request;
  if (!admin) return textCard(localize(locale, 'usage.admins'), 'bad');
  if (String(interaction.workspace) === NO_GUILD)
    return textCard(localize(locale, 'integrations.no-guild'), 'bad');
  const name = String(options['name'] ?? '').trim();
  const action = String(options['do'] ?? 'list');
  if (action !== 'list' && name === '')
    return textCard(
      `${localize(locale, texts['name.name'])}: ${localize(locale, texts['name.about'])}`,
      'bad',
    );
  switch (action) {
    case 'add':
      return addIntegration(request, name, context);
    case 'change':
      return changeIntegration(request, name, context);
    case 'rotate':
      return rotateKey(request, name, context);
    case 'webhook':
      return setWebhook(request, name, context);
    case 'remove':
      return removeIntegration(request, name, context);
    default:
      return showIntegrations(request, context);
  }
}

export const texts = {
  name: integrationsLabel,
  about: {
    en: 'Programs that ask over the API: keys, channels, budgets',
    de: 'Programme, die über die API fragen: Schlüssel, Kanäle, Budgets',
    fr: 'Programmes qui posent des questions par l’API : clés, canaux, budgets',
    es: 'Programas que preguntan por la API: claves, canales, presupuestos',
    pt: 'Programas que perguntam pela API: chaves, canais, orçamentos',
    ja: 'API で質問するプログラム：キー、チャンネル、予算',
    ko: 'API로 질문하는 프로그램: 키, 채널, 예산',
    zh: '通过 API 提问的程序：密钥、频道、预算',
  },
  'do.name': actionLabel,
  'do.about': whatToDoLabel,
  'do=list': listLabel,
  'do=add': addIntegrationLabel,
  'do=change': {
    en: 'Change channels or budget',
    de: 'Kanäle oder Budget ändern',
    fr: 'Modifier les canaux ou le budget',
    es: 'Cambiar canales o presupuesto',
    pt: 'Alterar canais ou orçamento',
    ja: 'チャンネルや予算を変更',
    ko: '채널이나 예산 변경',
    zh: '更改频道或预算',
  },
  'do=rotate': {
    en: 'Make another key',
    de: 'Neuen Schlüssel erzeugen',
    fr: 'Créer une autre clé',
    es: 'Crear otra clave',
    pt: 'Criar outra chave',
    ja: '別のキーを作成',
    ko: '다른 키 만들기',
    zh: '生成新密钥',
  },
  'do=webhook': {
    en: 'Set its webhook',
    de: 'Webhook setzen',
    fr: 'Définir son webhook',
    es: 'Configurar su webhook',
    pt: 'Configurar o webhook',
    ja: 'Webhook を設定',
    ko: '웹훅 설정',
    zh: '设置 Webhook',
  },
  'do=remove': removeLabel,
  'name.name': nameLabel,
  'name.about': {
    en: 'The name of the integration, for people',
    de: 'Der angezeigte Name der Integration',
    fr: 'Le nom affiché de l’intégration',
    es: 'El nombre visible de la integración',
    pt: 'O nome exibido da integração',
    ja: '人に見せる連携の名前',
    ko: '사람에게 보이는 연동의 이름',
    zh: '给人看的集成名称',
  },
  'channels.name': {
    en: 'channels',
    de: 'kanäle',
    fr: 'canaux',
    es: 'canales',
    pt: 'canais',
    ja: 'チャンネル',
    ko: '채널',
    zh: '频道',
  },
  'channels.about': {
    en: 'Where it may ask, such as #alerts; none for its own conversations only',
    de: 'Wo sie fragen darf, etwa #alerts; none: nur in eigenen Unterhaltungen',
    fr: 'Où elle peut poser des questions, comme #alerts ; none : seulement ses propres conversations',
    es: 'Dónde puede preguntar, como #alerts; none: solo sus conversaciones',
    pt: 'Onde pode perguntar, como #alerts; none: só nas próprias conversas',
    ja: '質問できる場所（#alerts など）。none は自身のやりとりのみ',
    ko: '질문할 수 있는 곳(#alerts 등). none은 자체 대화만',
    zh: '可提问的地方，如 #alerts；none 表示仅限自己的对话',
  },
  'budget.name': {
    en: 'budget',
    de: 'budget',
    fr: 'budget',
    es: 'presupuesto',
    pt: 'orçamento',
    ja: '予算',
    ko: '예산',
    zh: '预算',
  },
  'budget.about': {
    en: 'What it may spend, such as $5/day or 200/week',
    de: 'Was sie ausgeben darf, etwa $5/day oder 200/week',
    fr: 'Ce qu’elle peut dépenser, comme $5/day ou 200/week',
    es: 'Lo que puede gastar, como $5/day o 200/week',
    pt: 'O que pode gastar, como $5/day ou 200/week',
    ja: '使える予算（$5/day、200/week など）',
    ko: '쓸 수 있는 한도($5/day, 200/week 등)',
    zh: '可花费的额度，如 $5/day 或 200/week',
  },
  'url.name': {
    en: 'url',
    de: 'url',
    fr: 'url',
    es: 'url',
    pt: 'url',
    ja: 'アドレス',
    ko: '주소',
    zh: '网址',
  },
  'url.about': {
    en: 'Where its webhooks go, an https address; none for no webhook',
    de: 'Ziel ihrer Webhooks, eine https-Adresse; none: kein Webhook',
    fr: 'Où envoyer ses webhooks, une adresse https ; none : pas de webhook',
    es: 'Adónde van sus webhooks, una dirección https; none: ninguno',
    pt: 'Para onde vão os webhooks, um endereço https; none: nenhum',
    ja: 'Webhook の送信先の https アドレス。none は Webhook なし',
    ko: '웹훅을 보낼 https 주소. none은 웹훅 없음',
    zh: 'Webhook 发往的 https 地址；none 表示没有',
  },
  'events.name': {
    en: 'events',
    de: 'ereignisse',
    fr: 'événements',
    es: 'eventos',
    pt: 'eventos',
    ja: 'イベント',
    ko: '이벤트',
    zh: '事件',
  },
  'events.about': {
    en: 'What it is told',
    de: 'Worüber sie informiert wird',
    fr: 'Ce dont elle est informée',
    es: 'De qué se le informa',
    pt: 'O que ela recebe',
    ja: '通知する内容',
    ko: '알릴 내용',
    zh: '通知的内容',
  },
  'events=all': {
    en: 'All',
    de: 'Alles',
    fr: 'Tout',
    es: 'Todo',
    pt: 'Tudo',
    ja: 'すべて',
    ko: '모두',
    zh: '全部',
  },
  'events=answers': {
    en: 'Answers',
    de: 'Antworten',
    fr: 'Réponses',
    es: 'Respuestas',
    pt: 'Respostas',
    ja: '回答',
    ko: '답변',
    zh: '回答',
  },
  'events=feedback': {
    en: 'Feedback',
    de: 'Bewertungen',
    fr: 'Évaluations',
    es: 'Valoraciones',
    pt: 'Avaliações',
    ja: '評価',
    ko: '평가',
    zh: '评价',
  },
  'events=channels': {
    en: 'All, also of others in its channels',
    de: 'Alles, auch von anderen in ihren Kanälen',
    fr: 'Tout, y compris des autres dans ses canaux',
    es: 'Todo, también de otros en sus canales',
    pt: 'Tudo, também de outras pessoas nos canais dela',
    ja: 'すべて（そのチャンネルの他の人の分も）',
    ko: '모두, 채널의 다른 사람 것도 포함',
    zh: '全部，包括其频道中其他人的',
  },
} satisfies TextsOf<typeof spec>;
