import { channelId } from '../../conversation/index.ts';
import { say } from '../../texts/index.ts';
import type { Deps } from '../ports.ts';
import { granted, type QuotaWish, quotaCard } from '../quota.ts';
import * as names from './names.ts';
import { type AnyCall, type CalledCommand, type Run, tell, words } from './run.ts';
import { type CommandSpec, type Options, type TextsOf } from './spec.ts';
import { chosen, given, typed, typingOf } from './typed.ts';

const DEEDS = ['show', 'set', 'drop', 'grant', 'block', 'unblock', 'reset', 'zone'] as const;
const SCOPES = ['person', 'channel', 'workspace'] as const;

export const spec = {
  name: 'quota',
  options: [
    { name: 'do', kind: 'text', choices: DEEDS },
    { name: 'for', kind: 'text', choices: SCOPES },
    { name: 'amount', kind: 'text', most: 60 },
    { name: 'who', kind: 'user' },
    { name: 'here', kind: 'yes-no' },
  ],
} as const satisfies CommandSpec;

/** Budgets, for those who administer the workspace. */
export const run: Run<CalledCommand> = async (called, deps) => {
  const { invocation, options, locale } = called;
  const { spending } = deps;
  if (!spending) return tell(called, words(say(locale, 'usage.off')), deps);
  if (!called.admin) return tell(called, words(say(locale, 'usage.admins'), 'bad'), deps);
  const { platform, workspace, channel = channelId('none') } = invocation;
  const place = { platform, workspace, channel };
  const zone = await spending.zoneOf(place);
  const deed = DEEDS.find((one) => one === options['do']) ?? 'show';
  if (deed === 'reset') {
    const person = typeof options['who'] === 'string' ? options['who'] : invocation.by.user;
    await spending.reset(place, { person, channel }, scopeIn(options));
    return tell(called, words(say(locale, 'usage.quota.reset'), 'good'), deps);
  }
  if (deed === 'show')
    return tell(called, quotaCard(await spending.book(place), zone, locale, examplesFor(called, deps)), deps);
  const wish = wishOf(deed, options, channel);
  const book = wish && (await spending.change(place, (old) => granted(old, wish, deps.time.now(), zone)));
  if (!book) return tell(called, words(say(locale, 'usage.quota.how'), 'bad'), deps);
  return tell(called, quotaCard(book, book.zone ?? zone, locale, examplesFor(called, deps)), deps);
};

const scopeIn = (options: Options) =>
  SCOPES.find((one) => one === options['for']) ?? (options['here'] === true ? 'channel' : 'person');

function wishOf(
  kind: Exclude<(typeof DEEDS)[number], 'show' | 'reset'>,
  options: Options,
  channel: string,
): QuotaWish | undefined {
  const who = typeof options['who'] === 'string' ? options['who'] : undefined;
  const amount = String(options['amount'] ?? '');
  const scope = scopeIn(options);
  const here = scope === 'channel' && options['here'] === true ? channel : undefined;
  const of = scope === 'person' ? who : here;
  switch (kind) {
    case 'set':
    case 'grant':
      return { kind, scope, of, amount };
    case 'drop':
      return { kind, scope, of };
    case 'block':
    case 'unblock':
      return who === undefined ? undefined : { kind, who };
    case 'zone':
      return { kind, zone: amount };
  }
}

/** How budgets are set, by the names that the person is shown. */
function examplesFor({ invocation }: AnyCall, { settings }: Pick<Deps, 'settings'>): string {
  const where = typingOf(invocation);
  const deed = (of: (typeof DEEDS)[number]) => chosen(texts['do.name'], of, where, texts[`do=${of}`]);
  const scope = (of: (typeof SCOPES)[number]) => chosen(texts['for.name'], of, where, texts[`for=${of}`]);
  const amount = (of: string) => chosen(texts['amount.name'], of, where);
  const who = given(texts['who.name'], '@…', where);
  return [
    [deed('set'), scope('person'), amount('$5/day')],
    [deed('set'), scope('workspace'), amount('2000/month')],
    [deed('grant'), scope('person'), amount('$2'), who],
    [deed('block'), who],
    [deed('zone'), amount('Europe/Berlin')],
  ]
    .map((behind) => `\`${typed(texts.name, where, settings, ...behind)}\``)
    .join(' · ');
}

export const texts = {
  name: {
    en: 'quota',
    de: 'budget',
    fr: 'budget',
    es: 'presupuesto',
    pt: 'orçamento',
    ja: '予算',
    ko: '예산',
    zh: '预算',
  },
  about: {
    en: 'Budgets, for those who administer',
    de: 'Budgets, für Administratoren',
    fr: 'Budgets, pour les administrateurs',
    es: 'Presupuestos, para administradores',
    pt: 'Orçamentos, para administradores',
    ja: '予算の管理（管理者向け）',
    ko: '예산 관리(관리자용)',
    zh: '管理预算（管理员）',
  },
  'do.name': names.action,
  'do.about': {
    en: 'What to do; shows what is set by default',
    de: 'Was zu tun ist; zeigt sonst, was gilt',
    fr: 'Que faire ; sinon montre ce qui est fixé',
    es: 'Qué hacer; si no, muestra lo fijado',
    pt: 'O que fazer; senão mostra o definido',
    ja: '操作。省略すると設定を表示',
    ko: '할 일. 생략하면 설정을 표시',
    zh: '操作；默认显示设置',
  },
  'do=show': names.show,
  'do=set': {
    en: 'Set a budget',
    de: 'Budget setzen',
    fr: 'Fixer un budget',
    es: 'Fijar un presupuesto',
    pt: 'Definir um orçamento',
    ja: '予算を設定',
    ko: '예산 설정',
    zh: '设置预算',
  },
  'do=drop': {
    en: 'Remove a budget',
    de: 'Budget entfernen',
    fr: 'Retirer un budget',
    es: 'Quitar un presupuesto',
    pt: 'Remover um orçamento',
    ja: '予算を削除',
    ko: '예산 삭제',
    zh: '删除预算',
  },
  'do=grant': {
    en: 'More for today',
    de: 'Mehr für heute',
    fr: "Plus pour aujourd'hui",
    es: 'Más para hoy',
    pt: 'Mais para hoje',
    ja: '今日だけ追加',
    ko: '오늘만 추가',
    zh: '今天追加',
  },
  'do=block': {
    en: 'Let someone not ask',
    de: 'Jemanden sperren',
    fr: "Bloquer quelqu'un",
    es: 'Bloquear a alguien',
    pt: 'Bloquear alguém',
    ja: '質問を禁止',
    ko: '질문 차단',
    zh: '禁止提问',
  },
  'do=unblock': {
    en: 'Let someone ask again',
    de: 'Jemanden entsperren',
    fr: "Débloquer quelqu'un",
    es: 'Desbloquear a alguien',
    pt: 'Desbloquear alguém',
    ja: '禁止を解除',
    ko: '차단 해제',
    zh: '解除禁止',
  },
  'do=reset': {
    en: 'Begin anew today',
    de: 'Heute neu beginnen',
    fr: 'Repartir de zéro',
    es: 'Empezar de nuevo hoy',
    pt: 'Recomeçar hoje',
    ja: '今日の使用量をリセット',
    ko: '오늘 사용량 초기화',
    zh: '今天重新开始',
  },
  'do=zone': {
    en: 'Set the time zone',
    de: 'Zeitzone setzen',
    fr: 'Fixer le fuseau',
    es: 'Fijar la zona horaria',
    pt: 'Definir o fuso',
    ja: 'タイムゾーンを設定',
    ko: '시간대 설정',
    zh: '设置时区',
  },
  'for.name': names.forWhom,
  'for.about': {
    en: 'For each person, each channel or the workspace',
    de: 'Für jede Person, jeden Kanal oder den Workspace',
    fr: "Pour chaque personne, canal ou l'espace",
    es: 'Para cada persona, canal o el espacio',
    pt: 'Para cada pessoa, canal ou o espaço',
    ja: '対象：person、channel、workspace',
    ko: '대상: person, channel, workspace',
    zh: '对象：person、channel 或 workspace',
  },
  'for=person': {
    en: 'Person',
    de: 'Person',
    fr: 'Personne',
    es: 'Persona',
    pt: 'Pessoa',
    ja: '個人',
    ko: '개인',
    zh: '个人',
  },
  'for=channel': {
    en: 'Channel',
    de: 'Kanal',
    fr: 'Canal',
    es: 'Canal',
    pt: 'Canal',
    ja: 'チャンネル',
    ko: '채널',
    zh: '频道',
  },
  'for=workspace': {
    en: 'Workspace',
    de: 'Workspace',
    fr: 'Espace',
    es: 'Espacio',
    pt: 'Espaço',
    ja: 'ワークスペース',
    ko: '워크스페이스',
    zh: '工作区',
  },
  'amount.name': {
    en: 'amount',
    de: 'betrag',
    fr: 'montant',
    es: 'importe',
    pt: 'valor',
    ja: '金額',
    ko: '금액',
    zh: '金额',
  },
  'amount.about': {
    en: 'Such as $5/day, 200/week, $2 or Europe/Berlin',
    de: 'Etwa $5/day, 200/week, $2 oder Europe/Berlin',
    fr: 'Comme $5/day, 200/week, $2 ou Europe/Berlin',
    es: 'Como $5/day, 200/week, $2 o Europe/Berlin',
    pt: 'Como $5/day, 200/week, $2 ou Europe/Berlin',
    ja: '例：$5/day、200/week、$2、Europe/Berlin',
    ko: '예: $5/day, 200/week, $2, Europe/Berlin',
    zh: '例如 $5/day、200/week、$2 或 Europe/Berlin',
  },
  'who.name': names.who,
  'who.about': {
    en: 'One person; else for each',
    de: 'Eine Person; sonst für jede',
    fr: 'Une personne ; sinon chacune',
    es: 'Una persona; si no, cada una',
    pt: 'Uma pessoa; senão, cada uma',
    ja: '特定の人。省略すると全員',
    ko: '특정인. 생략하면 모두',
    zh: '某个人；默认每个人',
  },
  'here.name': {
    en: 'here',
    de: 'hier',
    fr: 'ici',
    es: 'aquí',
    pt: 'aqui',
    ja: 'ここ',
    ko: '여기',
    zh: '此处',
  },
  'here.about': {
    en: 'For this channel alone',
    de: 'Nur für diesen Kanal',
    fr: 'Pour ce canal seul',
    es: 'Solo para este canal',
    pt: 'Só para este canal',
    ja: 'このチャンネルだけ',
    ko: '이 채널만',
    zh: '仅限此频道',
  },
} satisfies TextsOf<typeof spec>;
