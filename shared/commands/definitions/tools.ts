import type { CommandsContext } from '../context.ts';
import type { Card, TaskResult } from '../../domain/index.ts';
import {
  actionLabel,
  addLabel,
  channelLabel,
  confirmSignInLabel,
  forWhomLabel,
  listLabel,
  localize,
  nameLabel,
  removeLabel,
  scopeDescription,
  serverLabel,
  signInLabel,
  toolsLabel,
  turnOnLabel,
  whatToDoLabel,
  withLabel,
  workspaceLabel,
} from '../../i18n/index.ts';
import { decideCall } from '../../tools/index.ts';
import {
  addServer,
  changeTool,
  confirm,
  connect,
  refreshTools,
  removeServer,
  useTools,
} from './tool-servers/edit-servers.ts';
import { createToolLogCard } from './tool-servers/log-card.ts';
import { showServers, type ToolsRequest } from './tool-servers/show-servers.ts';
import { turnOff, turnOn } from './tool-servers/turn-on.ts';
import {
  type CommandHandler,
  type CommandRequest,
  DONE,
  type InteractionRequest,
  replyCard,
  replyStale,
  textCard,
} from '../framework/types.ts';
import type { CommandSpec, TextsOf } from '../framework/command-spec.ts';
import type { RulesOf } from '../framework/option-rules.ts';

export const spec = {
  name: 'tools',
  options: [
    {
      name: 'do',
      kind: 'text',
      choices: ['list', 'add', 'use', 'on', 'off', 'connect', 'confirm', 'log', 'remove'],
    },
    { name: 'what', kind: 'text', max: 1_000 },
    { name: 'with', kind: 'text', max: 1_500, mentions: true },
    { name: 'name', kind: 'text', max: 24 },
    { name: 'for', kind: 'text', choices: ['channel', 'workspace'] },
  ],
} as const satisfies CommandSpec;

export const rules: RulesOf<typeof spec> = {
  do: { default: 'list' },
  what: { onlyWith: { do: ['list', 'add', 'use', 'on', 'off', 'connect', 'confirm', 'remove'] } },
  with: { onlyWith: { do: ['add', 'use', 'on'] } },
  name: { onlyWith: { do: ['add'] } },
  for: { onlyWith: { do: ['on', 'off'] } },
};

/** Adds and removes MCP servers, and decides where and for whom they are on. */
export const run: CommandHandler<CommandRequest> = async (request, context, delivery) => {
  const { options, locale, admin } = request;
  const action = String(options['do'] ?? 'list');
  const what = String(options['what'] ?? '').trim();
  const level = options['for'] === 'workspace' ? 'workspace' : 'channel';
  // People sign in for themselves; everything else is for administrators.
  if (action === 'connect') return reply(request, await connect(request, what, context), context);
  if (action === 'confirm') return reply(request, await confirm(request, what, context), context);
  if (!admin) return reply(request, textCard(localize(locale, 'usage.admins'), 'bad'), context);
  switch (action) {
    case 'add':
      return reply(request, await addServer(request, what, context, delivery), context);
    case 'use':
      return reply(request, await useTools(request, what, String(options['with'] ?? ''), context), context);
    case 'on':
      return reply(
        request,
        await turnOn(request, what, level, String(options['with'] ?? ''), context),
        context,
      );
    case 'off':
      return reply(request, await turnOff(request, what, level, context), context);
    case 'remove':
      return reply(request, await removeServer(request, what, context), context);
    case 'log':
      return reply(request, await createToolLogCard(request, context), context);
    default:
      return reply(request, await showServers(request, what, context), context);
  }
};

const reply = (request: ToolsRequest, card: Card, context: CommandsContext): Promise<TaskResult> =>
  replyCard(request, card, context);

/** Handles the buttons and menus of the cards. */
export const onAction: CommandHandler<InteractionRequest<'action' | 'form'>> = async (request, context) => {
  const { payload, admin, locale } = request;
  const { name: action, args } = payload.action;
  const [first = '', second] = args;
  if (action === 'tools.run' || action === 'tools.cancel') {
    const sentence = await decideCall(first, action === 'tools.run' ? 'run' : 'cancel', request, context);
    return sentence === undefined ? DONE : reply(request, textCard(sentence), context);
  }
  if (!admin) return reply(request, textCard(localize(locale, 'usage.admins'), 'bad'), context);
  const chosen = payload.kind === 'action' ? (payload.chosen[0] ?? '') : '';
  const level = second === 'workspace' ? 'workspace' : 'channel';
  switch (action) {
    case 'tools.show':
      return reply(request, await showServers(request, chosen, context), context);
    case 'tools.use':
      return reply(request, await changeTool(request, first, chosen, context), context);
    case 'tools.on':
      return reply(request, await turnOn(request, first, level, undefined, context), context);
    case 'tools.off':
      return reply(request, await turnOff(request, first, level, context), context);
    case 'tools.refresh':
      return reply(request, await refreshTools(request, first, context), context);
    default:
      return replyStale(request, context);
  }
};

export const texts = {
  name: toolsLabel,
  about: {
    en: 'Tools of servers (MCP): add, choose, turn on',
    de: 'Tools von Servern (MCP): hinzufügen, wählen, einschalten',
    fr: 'Outils de serveurs (MCP) : ajouter, choisir, activer',
    es: 'Herramientas de servidores (MCP): añadir, elegir, activar',
    pt: 'Ferramentas de servidores (MCP): adicionar, escolher, ativar',
    ja: 'サーバー（MCP）のツール：追加、選択、有効化',
    ko: '서버(MCP)의 도구: 추가, 선택, 켜기',
    zh: '服务器（MCP）的工具：添加、选择、启用',
  },
  'do.name': actionLabel,
  'do.about': whatToDoLabel,
  'do=list': listLabel,
  'do=add': addLabel,
  'do=use': {
    en: 'Choose tools',
    de: 'Tools wählen',
    fr: 'Choisir des outils',
    es: 'Elegir herramientas',
    pt: 'Escolher ferramentas',
    ja: 'ツールを選択',
    ko: '도구 선택',
    zh: '选择工具',
  },
  'do=on': turnOnLabel,
  'do=off': {
    en: 'Turn off',
    de: 'Ausschalten',
    fr: 'Désactiver',
    es: 'Desactivar',
    pt: 'Desativar',
    ja: 'オフにする',
    ko: '끄기',
    zh: '停用',
  },
  'do=connect': signInLabel,
  'do=confirm': confirmSignInLabel,
  'do=log': {
    en: 'Log of calls',
    de: 'Protokoll der Aufrufe',
    fr: 'Journal des appels',
    es: 'Registro de llamadas',
    pt: 'Registro de chamadas',
    ja: '呼び出しの記録',
    ko: '호출 기록',
    zh: '调用记录',
  },
  'do=remove': removeLabel,
  'what.name': serverLabel,
  'what.about': {
    en: 'A server’s address or name; for confirm, the code',
    de: 'Adresse oder Name eines Servers; bei confirm der Code',
    fr: 'L’adresse ou le nom d’un serveur ; pour confirm, le code',
    es: 'La dirección o el nombre de un servidor; con confirm, el código',
    pt: 'O endereço ou o nome de um servidor; para confirm, o código',
    ja: 'サーバーのアドレスか名前。confirm ではコード',
    ko: '서버의 주소나 이름. confirm에는 코드',
    zh: '服务器的地址或名称；confirm 时为代码',
  },
  'with.name': withLabel,
  'with.about': {
    en: 'add: none, key, oauth or person; use: tools, or all; on: who',
    de: 'add: none, key, oauth oder person; use: Tools oder all; on: wer',
    fr: 'add : none, key, oauth ou person ; use : outils, ou all ; on : qui',
    es: 'add: none, key, oauth o person; use: herramientas o all; on: quién',
    pt: 'add: none, key, oauth ou person; use: ferramentas ou all; on: quem',
    ja: 'add: none、key、oauth、person / use: ツールまたは all / on: 対象者',
    ko: 'add: none, key, oauth, person / use: 도구 또는 all / on: 대상',
    zh: 'add：none、key、oauth 或 person；use：工具或 all；on：谁',
  },
  'name.name': nameLabel,
  'name.about': {
    en: 'A short name for the server',
    de: 'Ein kurzer Name für den Server',
    fr: 'Un nom court pour le serveur',
    es: 'Un nombre corto para el servidor',
    pt: 'Um nome curto para o servidor',
    ja: 'サーバーの短い名前',
    ko: '서버의 짧은 이름',
    zh: '服务器的简短名称',
  },
  'for.name': forWhomLabel,
  'for.about': scopeDescription,
  'for=channel': channelLabel,
  'for=workspace': workspaceLabel,
} satisfies TextsOf<typeof spec>;
