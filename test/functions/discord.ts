import { EMPTY_QUEUE } from '../fakes/empty-queue.ts';
import type { InteractionDeps } from '../../functions/composition/discord/respond-to-interaction.ts';
import {
  type DiscordFrontDeps,
  createDiscordFront,
} from '../../functions/composition/discord/discord-front.ts';
import { createDiscordSettings } from '../../functions/composition/discord/discord-settings.ts';
import { createSuggestions } from '../../functions/composition/discord/autocomplete.ts';
import { type Modal, parseTask, type Task, userId, workspaceId } from '../../shared/domain/index.ts';
import { type JobOwnership, mayChangeJob } from '../../shared/video/jobs/index.ts';
import type { DynamoSend } from '../../shared/storage/dynamodb/json-protocol.ts';
import type { VideoDraft, FormNote, NotePlace } from '../../shared/storage/index.ts';
import { readString } from '../../shared/platforms/discord/api/json-path.ts';
import { applicationKeys } from '../platforms/discord/keys.ts';

export const NOW_S = 1_790_000_000;
const EPOCH = 1_420_070_400_000;

/** A new id; `nth` distinguishes several. */
export const idNow = (nth = 0): string => String((BigInt(NOW_S * 1000 - EPOCH) << 22n) + BigInt(nth));

/** The owner of the videos. */
const VIDEO_OWNER: JobOwnership = {
  by: { platform: 'discord', workspace: workspaceId('21'), user: userId('41') },
  thread: { platform: 'discord', workspace: workspaceId('21') },
};

/** The Discord front with a queue and a table in memory, and a key pair of its own. */
export function discordFrontHarness(
  options: {
    readonly models?: readonly string[];
    readonly live?: readonly (readonly string[])[];
    /** Preset names by their storage keys. */
    readonly saved?: Readonly<Record<string, readonly string[]>>;
    /** The settings of a level as JSON, by storage key. */
    readonly set?: Readonly<Record<string, string>>;
    readonly videos?: Readonly<Record<string, VideoDraft>>;
    /** By person and draft. */
    readonly forms?: Readonly<Record<string, readonly Modal[]>>;
    /** The texts of facts, by person and id. */
    readonly facts?: Readonly<Record<string, string>>;
  } = {},
) {
  const keys = applicationKeys();
  const tasks: Task[] = [];
  const dedups: string[] = [];
  const wrote: string[] = [];
  const notes = new Map<string, FormNote>();
  const broken = { queue: false, table: false };
  const write = async (words: string): Promise<void> => {
    if (broken.table) throw new Error('no table');
    wrote.push(words);
  };
  const send: DynamoSend = async (operation, input) => {
    if (operation !== 'GetItem') throw new Error('a front may not search the table');
    const key = readString(input, 'Key', 'pk', 'S') + ' ' + readString(input, 'Key', 'sk', 'S');
    const [names, layer] = [options.saved?.[key], options.set?.[key]];
    return {
      Item: {
        list: { S: JSON.stringify(options.live ?? []) },
        ...(names && { names: { SS: names } }),
        ...(layer && { layer: { S: layer } }),
      },
    };
  };
  const settings = createDiscordSettings(send, 'conversations');
  const calls: InteractionDeps = {
    settings,
    suggestions: createSuggestions({
      send,
      table: 'conversations',
      configured: options.models ?? ['usual', 'maker/other'],
      settings,
      now: () => NOW_S * 1000,
    }),
    videoModels: [
      { name: 'model-v', operation: 'image-to-video', field: 'image', price: '0.35' },
      { name: 'model-w', operation: 'image-to-video', field: 'image' },
    ],
    store: {
      accept: ({ thread, message }) => write(`accept ${thread.root} ${message}`),
      sendSignal: async ({ message }, mark) => {
        await write(`mark ${message} ${mark}`);
        return { receipt: undefined };
      },
      saveToken: ({ root }, message, { token }, to) =>
        write(`ticket ${root} ${message} ${token}${to === undefined ? '' : ` to ${to}`}`),
      saveNote: async (id, place, note) => void notes.set(noteName(id, place), note),
      findNote: async (id, place) => notes.get(noteName(id, place)),
      findVideoDraft: async (id, caller) =>
        mayChangeJob(VIDEO_OWNER, caller) ? options.videos?.[id] : undefined,
      findDraftModal: async ({ user }, id, page) => options.forms?.[`${user} ${id}`]?.[page],
      findFact: async ({ user }, id) => options.facts?.[`${user} ${id}`],
    },
    showMessage: EMPTY_QUEUE,
    queue: {
      send: async (body, _, dedup) => {
        if (broken.queue) throw new Error('no queue');
        const task = parseTask(body);
        if (!task) throw new Error('no task');
        if (dedups.includes(dedup)) return;
        dedups.push(dedup);
        tasks.push(task);
      },
    },
    now: () => NOW_S * 1000,
  };
  const context: DiscordFrontDeps = {
    publicKey: keys.publicKey,
    within: () => calls,
    now: () => NOW_S * 1000,
    log: { error: quiet },
  };
  const front = createDiscordFront(context);
  const sendRaw = (body: string, headers: Record<string, string>, isBase64Encoded = false) =>
    front({ headers, body: isBase64Encoded ? Buffer.from(body).toString('base64') : body, isBase64Encoded });
  return {
    ...keys,
    tasks,
    wrote,
    notes,
    broken,
    sendRaw,
    /** The response to an interaction. */
    send: async (interaction: object): Promise<{ status: number; body: unknown }> => {
      const body = JSON.stringify(interaction);
      const answer = await sendRaw(body, keys.headers(body, NOW_S));
      return {
        status: answer.statusCode,
        body: answer.body === '' ? undefined : (JSON.parse(answer.body) as unknown),
      };
    },
  };
}

/** Manages the guild, sees channels and their history. */
const MANAGER = String((1n << 5n) | (1n << 10n) | (1n << 16n));

/** An interaction in a guild with the bot. */
export const interaction = (over: object): object => ({
  id: idNow(),
  application_id: '11',
  token: 'ticket',
  version: 1,
  guild_id: '21',
  channel_id: '31',
  channel: { id: '31', type: 0 },
  context: 0,
  authorizing_integration_owners: { '0': '21' },
  member: { user: { id: '41' }, roles: ['51'], permissions: MANAGER },
  locale: 'de',
  ...over,
});

export const ask = (options: Record<string, string | boolean>, over: object = {}): object =>
  interaction({
    type: 2,
    data: {
      id: '61',
      type: 1,
      name: 'ask',
      options: Object.entries(options).map(([name, value]) => ({
        name,
        value,
        type: name === 'attachment' ? 11 : typeof value === 'boolean' ? 5 : 3,
      })),
      resolved: {
        attachments: {
          '71': {
            id: '71',
            filename: 'a.txt',
            content_type: 'text/plain',
            size: 5,
            url: 'https://cdn.discordapp.com/a',
          },
        },
      },
    },
    ...over,
  });

const noteName = (id: string, { channel, root, user }: NotePlace): string =>
  [id, channel, root, user].join(' ');

function quiet(): void {}
