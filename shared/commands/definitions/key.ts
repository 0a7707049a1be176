import type { CommandsContext } from '../context.ts';
import { localize, keyLabel } from '../../i18n/index.ts';
import { keyCard, parseUpstreamKey } from '../../settings/index.ts';
import type { TaskResult } from '../../domain/index.ts';
import {
  type InteractionRequest,
  type CommandRequest,
  type CommandHandler,
  replyStale,
  replyCard,
  textCard,
} from '../framework/types.ts';
import { setServerKey } from './tool-servers/edit-servers.ts';
import type { CommandSpec, TextsOf } from '../framework/command-spec.ts';

export const spec = {
  name: 'key',
  // The key is typed into a modal: a command would stay in the person's message history.
  options: [],
} as const satisfies CommandSpec;

/** Shows the state of the workspace's own API key. */
export const run: CommandHandler<CommandRequest> = (request, context) => replyKeyCard(request, context);

/** Handles the buttons of the card, and the modal. */
export const onAction: CommandHandler<InteractionRequest<'action' | 'form'>> = async (request, context) => {
  const { payload, interaction, locale } = request;
  const { ownKeys } = context;
  if (!request.admin) return replyKeyCard(request, context);
  if (payload.kind === 'action' && payload.action.name === 'key.remove') await ownKeys.remove(interaction);
  else if (payload.kind === 'form' && payload.action.name === 'key.set') {
    const key = parseUpstreamKey(payload.values['key'] ?? '');
    if (key === undefined)
      return replyCard(request, textCard(localize(locale, 'usage.key.unlike'), 'bad'), context);
    const [server] = payload.action.args;
    if (server !== undefined)
      return replyCard(request, await setServerKey(request, server, key, context), context);
    await ownKeys.save(interaction, key, interaction.by.user);
  } else return replyStale(request, context);
  return replyKeyCard(request, context);
};

async function replyKeyCard(request: InteractionRequest, context: CommandsContext): Promise<TaskResult> {
  const { locale, interaction } = request;
  if (!request.admin) return replyCard(request, textCard(localize(locale, 'usage.admins'), 'bad'), context);
  return replyCard(request, keyCard(await context.ownKeys.find(interaction), locale), context);
}

export const texts = {
  name: keyLabel,
  about: {
    en: 'Your own API key for the models, for administrators',
    de: 'Eigener API-Schlüssel für die Modelle, für Admins',
    fr: 'Une clé API propre pour les modèles, pour les administrateurs',
    es: 'Una clave propia para los modelos, para administradores',
    pt: 'Uma chave de API própria para os modelos, para administradores',
    ja: '独自のモデル用 API キー（管理者向け）',
    ko: '모델용 자체 키(관리자용)',
    zh: '自己的模型密钥（管理员）',
  },
} satisfies TextsOf<typeof spec>;
