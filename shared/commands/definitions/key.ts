import type { CommandsContext } from '../context.ts';
import { localize, keyLabel } from '../../i18n/index.ts';
import { keyCard, parseApiKey } from '../../settings/index.ts';
import type { TaskResult } from '../../domain/index.ts';
import {
  type AnyPayload,
  type InteractionContext,
  type CommandContext,
  type CommandRun,
  staleReply,
  replyCard,
  textCard,
} from '../framework/types.ts';
import type { CommandSpec, TextsOf } from '../framework/command-spec.ts';

export const spec = {
  name: 'key',
  // The key itself is typed into a form: a command would show it in the history of what was typed.
  options: [],
} as const satisfies CommandSpec;

/** Shows what there is of the workspace's own key. */
export const run: CommandRun<CommandContext> = (called, context) => shown(called, context);

/** The controls of the card, and the form. */
export const act: CommandRun<InteractionContext<'action' | 'form'>> = async (called, context) => {
  const { call, invocation, locale } = called;
  const { ownKeys } = context;
  if (!called.admin) return shown(called, context);
  if (call.kind === 'action' && call.action.name === 'key.remove') await ownKeys.remove(invocation);
  else if (call.kind === 'form' && call.action.name === 'key.set') {
    const key = parseApiKey(call.values['key'] ?? '');
    if (key === undefined)
      return replyCard(called, textCard(localize(locale, 'usage.key.unlike'), 'bad'), context);
    await ownKeys.save(invocation, key, invocation.by.user);
  } else return staleReply(called, context);
  return shown(called, context);
};

async function shown(called: AnyPayload, context: CommandsContext): Promise<TaskResult> {
  const { locale, invocation } = called;
  if (!called.admin) return replyCard(called, textCard(localize(locale, 'usage.admins'), 'bad'), context);
  return replyCard(called, keyCard(await context.ownKeys.find(invocation), locale), context);
}

export const texts = {
  name: keyLabel,
  about: {
    en: "This workspace's own API key for the models, for administrators",
    de: 'Eigener Schlüssel dieses Workspace für die Modelle, für Admins',
    fr: 'La clé de cet espace pour les modèles, pour les admins',
    es: 'La clave propia de este espacio para los modelos, para admins',
    pt: 'A chave própria deste espaço para os modelos, para admins',
    ja: 'このワークスペース独自のモデル用キー（管理者向け）',
    ko: '이 워크스페이스의 모델용 자체 키(관리자용)',
    zh: '本工作区自己的模型密钥（管理员）',
  },
} satisfies TextsOf<typeof spec>;
