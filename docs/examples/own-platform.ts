import * as v from 'valibot';
import type { CreatePlatformAdapter } from '../../functions/composition/index.ts';
import { type MessageId, messageId, type TurnRef } from '../../shared/domain/index.ts';
import {
  CannotPostError,
  HistoryUnavailableError,
  type Messenger,
  noCanvases,
  type Platform,
  type Reply,
  ThreadDeletedError,
  UNAVAILABLE,
} from '../../shared/platforms/ports/index.ts';

/*
 * A chat server with three routes: POST /messages {thread, key, text} responds with {"id": "..."}, the same id for the same key;
 * PUT and DELETE /messages/ID. It shows an answer when it is complete: `shared/platforms/live-answer` lets answers grow.
 */

const TIMEOUT_MS = 10_000;
const posted = v.object({ id: v.pipe(v.string(), v.minLength(1)) });

type Send = (method: string, path: string, body?: object) => Promise<unknown>;

/** Requests to the chat server. Rejects with ThreadDeletedError if the thread is gone. */
const createSend =
  (baseUrl: string, token: string): Send =>
  async (method, path, body) => {
    const response = await fetch(new URL(path, baseUrl), {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
      redirect: 'error',
    });
    if (response.status === 410) throw new ThreadDeletedError('the thread is deleted');
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`);
    return method === 'POST' ? await response.json() : undefined;
  };

/** Creates the adapter of a chat server. Put it into `EXTENSIONS.platforms`. */
export const createChatServerAdapter =
  (baseUrl: string, token: string): CreatePlatformAdapter =>
  () => {
    const send = createSend(baseUrl, token);
    return {
      platform: createPlatform(send),
      messenger: createMessenger(send),
      userProfile: async () => ({}),
      isPublicChannel: async () => false,
      channelAccess: async () => 'unknown',
      memberRoles: async () => ({ admin: false, roles: [] }),
      directory: { find: async () => UNAVAILABLE },
    };
  };

function createPlatform(send: Send): Platform {
  return {
    // Answers.
    reply: (turn, existing) => createReply(send, turn, existing),
    deleteAnswer: async (_, messages) => {
      for (const id of messages) await send('DELETE', `/messages/${id}`);
    },
    // This server shows no status, no reactions and no ephemeral messages.
    showStatus: async () => undefined,
    acknowledge: async () => undefined,
    postEphemeral: async () => false,
    findOrphanedMessages: async () => ({ ofTurn: [], unattributed: [] }),
    isSuperseded: async () => false,
    // It lets nobody read back.
    fetchEarlierMessages: async () => ({ messages: [] }),
    readHistory: async () => {
      throw new HistoryUnavailableError('no-permission');
    },
    findMessage: async () => undefined,
    // Its events list all files of a message.
    listFiles: async () => [],
    findRecordings: () => undefined,
    prepareMessageSearch: () => undefined,
    isDeleted: async () => false,
    // It has no files.
    resolveFile: async (_, attachment) => attachment,
    nameMentions: () => undefined,
    downloadFile: async () => new Uint8Array(),
    getLocale: async () => undefined,
  };
}

/** The answer to one question: one message, whose key makes a repeated post harmless. */
function createReply(send: Send, turn: TurnRef, existing: readonly MessageId[]): Reply {
  let messages: readonly MessageId[] = existing;
  const post = async (text: string): Promise<MessageId[]> => {
    const [first] = messages;
    if (first !== undefined) await send('PUT', `/messages/${first}`, { text });
    const id = first ?? messageId(v.parse(posted, await send('POST', '/messages', body(turn, text))).id);
    messages = [id];
    return [id];
  };
  return {
    write: () => undefined,
    step: () => undefined,
    enableStopButton: () => undefined,
    stopStreaming: async () => messages,
    posted: async () => [...messages],
    publish: (text) => post(text),
    stopped: new AbortController().signal,
    hasUnconfirmedPosts: false,
  };
}

const body = ({ thread, message }: TurnRef, text: string) => ({
  thread: thread.root,
  key: `answer-${message}`,
  text,
});

/** Cards are posted as plain text. What this server cannot do rejects as on the other platforms. */
function createMessenger(send: Send): Messenger {
  return {
    canPost: () => true,
    postCard: async (thread, card, key, existing) => {
      const text = JSON.stringify(card);
      if (existing !== undefined) {
        await send('PUT', `/messages/${existing}`, { text });
        return existing;
      }
      return messageId(
        v.parse(posted, await send('POST', '/messages', { thread: thread.root, key, text })).id,
      );
    },
    removeCard: async (_, id) => void (await send('DELETE', `/messages/${id}`)),
    startThread: async () => {
      throw new CannotPostError('the chat server has no commands');
    },
    sendDirectMessage: async () => {
      throw new CannotPostError('the chat server has no direct messages');
    },
    getPermalink: async () => undefined,
    upload: async () => {
      throw new CannotPostError('the chat server has no files');
    },
    findUploads: async () => [],
    respond: async () => undefined,
    showWorking: async () => undefined,
    sendFilePrivately: async () => undefined,
    openModal: async () => undefined,
    commandMentions: async () => new Map(),
    ...noCanvases,
  };
}
