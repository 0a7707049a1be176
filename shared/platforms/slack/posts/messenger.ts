import type { HomeView } from '@slack/types';
import * as v from 'valibot';
import { type Card, type Interaction, listCardFiles, type UserId } from '../../../domain/index.ts';
import {
  CannotPostError,
  FileUnavailableError,
  type Messenger,
  ReplyRefusedError,
} from '../../ports/index.ts';
import { createCanvasPublisher, type CanvasDeps } from '../canvases/canvas-publisher.ts';
import { createAgentApi } from '../session/assistant-session.ts';
import { type SlackCall, SlackApiError } from '../api/call.ts';
import { type CardPosterDeps, createCardPoster } from './card-poster.ts';
import { renderCard } from '../blocks/card-blocks.ts';
import type { SlackDeps } from '../deps.ts';
import { renderModalView } from '../blocks/modal-view.ts';
import { NO_PREVIEWS } from './messages.ts';
import { classifyError } from '../api/errors.ts';
import { type RetryOptions, retrySlack } from '../api/retry.ts';
import type { RespondToUrl } from './response-url.ts';
import { showWorking } from '../session/working-status.ts';
import { HOME } from '../blocks/surfaces.ts';
import { createUploader } from '../files/upload.ts';
import { isUnreachable, sendDirectMessage, startDirectThread } from './direct-message.ts';

/** The deadline of one card, with all retries. */
const TIMEOUT_MS = 20_000;

const permalinkResponse = v.object({ permalink: v.string() });
const permalink = async (call: SlackCall, channel: string, message: string): Promise<string> =>
  v.parse(permalinkResponse, await call('chat.getPermalink', { channel, message_ts: message })).permalink;

/** Slack refused: there is no such message, or not for the bot. */
function undefinedIfRefused(error: unknown): undefined {
  if (classifyError(error).kind !== 'refused') throw error;
}

export type SlackMessengerDeps = CardPosterDeps &
  Pick<CanvasDeps, 'hasCanvases'> &
  Pick<SlackDeps, 'agent'> & { readonly respondToUrl: RespondToUrl };

/** The arguments that show a card as the person's App Home. Of a click there Slack does not always tell the workspace, so the page has it. */
const homeView = (
  { workspace, by }: Pick<Interaction, 'workspace' | 'by'>,
  card: Card,
): { readonly user_id: UserId; readonly view: HomeView } => ({
  user_id: by.user,
  view: { type: 'home', private_metadata: workspace, blocks: renderCard(card, 'home').blocks },
});

/** Creates the messenger of one Slack workspace: cards, files and responses to interactions. */
export function createSlackMessenger(deps: SlackMessengerDeps): Messenger {
  const { call, time, agent = createAgentApi(deps) } = deps;
  const retryOptions = () => ({ time, deadline: time.now() + TIMEOUT_MS });

  const { keep, ...files } = createUploader(deps);
  const cards = createCardPoster(deps, retryOptions);

  return {
    canPost: () => true,
    async postCard(thread, card, key, existing, options) {
      const cardFileList = listCardFiles(card);
      const ids = cardFileList.length > 0 ? await keep(cardFileList) : [];
      const message = existing ?? (await cards.post(thread, card, key, options));
      return existing || ids.length > 0 ? cards.update(thread, message, card, key, ids) : message;
    },
    removeCard: (...what) => cards.remove(...what),
    respond: (...what) => respond(deps, retryOptions, ...what).catch(throwReplyError),
    // Slack has one command, which people type.
    commandMentions: () => Promise.resolve(new Map()),
    showWorking: (...what) => showWorking({ ...deps, agent }, ...what),
    getPermalink: ({ channel }, message) =>
      retrySlack(() => permalink(call, channel, message), retryOptions()).catch(undefinedIfRefused),
    sendDirectMessage: (...what) => sendDirectMessage(deps, retryOptions, ...what),
    async sendFilePrivately({ platform, workspace, by }, file, key) {
      // Below a message in the direct channel, where the app may post at any time.
      const { words = file.name } = file;
      const card: Card = { parts: [{ kind: 'text', markdown: words }] };
      const message = { user: by.user, card, key };
      const thread = await startDirectThread(deps, retryOptions, { platform, workspace }, message).catch(
        throwDirectMessageError,
      );
      try {
        await files.upload(thread, { ...file, words: undefined }, key);
      } catch (error) {
        // It announces a file that does not come.
        if (error instanceof FileUnavailableError)
          await cards.remove(thread, thread.root, { hasFiles: false });
        throw error;
      }
    },
    async openModal(interaction, form) {
      // No retry: a trigger id is valid for one use.
      const view = renderModalView(form, interaction);
      await call('views.open', { trigger_id: interaction.triggerId, view });
    },
    async startThread({ platform, workspace, channel, id, by }, card) {
      if (!channel) throw new CannotPostError('the interaction has no channel');
      const root = await cards.post({ platform, workspace, channel }, card, id);
      const thread = { platform, workspace, channel, root };
      return { thread, message: root, asker: by.user, askerWorkspace: by.workspace };
    },
    ...files,
    ...createCanvasPublisher(deps),
  };
}

/** The arguments of a `response_url` message that the whole channel sees. */
const OPENLY = { response_type: 'in_channel', ...NO_PREVIEWS } as const;

/** Responds to an interaction: by its `response_url`, in App Home, or in its channel. Rejects as SlackCall, `retrySlack` and RespondToUrl do. */
async function respond(
  { call, respondToUrl }: Pick<SlackMessengerDeps, 'call' | 'respondToUrl'>,
  retryOptions: () => RetryOptions,
  ...[interaction, card, isPublic = false]: Parameters<Messenger['respond']>
): Promise<void> {
  const { responseToken, channel, thread, noReplies, by } = interaction;
  if (responseToken === HOME) {
    await retrySlack(() => call('views.publish', homeView(interaction, card)), retryOptions());
    return;
  }
  const inThread = thread && (isPublic || !noReplies) ? { thread_ts: thread.root } : {};
  const body = { ...renderCard(card), ...inThread };
  if (responseToken !== '') return respondToUrl(responseToken, { ...body, ...(isPublic && OPENLY) });
  // A modal that was opened from App Home, or whose `response_url` was too long to store: there is no URL to respond to.
  if (!channel) await call('chat.postMessage', { channel: by.user, ...renderCard(card), ...NO_PREVIEWS });
  else if (isPublic) await call('chat.postMessage', { channel, ...body, ...NO_PREVIEWS });
  else await call('chat.postEphemeral', { channel, user: by.user, ...body });
}

/** Throws ReplyRefusedError if Slack refuses a response, which it would refuse again, else the error itself. */
function throwReplyError(error: unknown): never {
  if (error instanceof SlackApiError && classifyError(error).kind === 'refused')
    throw new ReplyRefusedError(error.message, { cause: error });
  throw error;
}

/** Throws FileUnavailableError if a file cannot be sent because the person gets no direct messages, else the error itself. */
function throwDirectMessageError(error: unknown): never {
  if (isUnreachable(error)) throw new FileUnavailableError(['files.upload.no-direct-message']);
  throw error;
}
