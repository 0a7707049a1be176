import { streamsOnly } from '../fakes/streams-only.ts';
import {
  type Task,
  channelId,
  messageId,
  parseTask,
  parseTranscriptionTask,
  userId,
  workspaceId,
} from '../../shared/domain/index.ts';
import { COMMANDS } from '../../shared/commands/command-list.ts';
import { buildCommandForm } from '../../shared/commands/open-command-form.ts';
import type { OptionSpec } from '../../shared/commands/framework/command-spec.ts';
import { parseCommand } from '../../shared/platforms/slack/inbound/interactions.ts';
import type { DirectoryReference } from '../../shared/platforms/ports/directory.ts';
import { createSlackDirectory } from '../../shared/platforms/slack/index.ts';
import { type WorkerContext, dispatchTask } from '../../shared/worker/index.ts';
import type { Rating } from '../../shared/storage/index.ts';
import { spendingIn } from '../fakes/spending.ts';
import { discordFrontHarness, idNow, interaction } from '../functions/discord.ts';
import { createDirectClient } from '../simulators/slack/direct-client.ts';
import { createWorkspace } from '../simulators/slack/index.ts';
import { ADA } from '../simulators/slack/harness.ts';
import { TestTime } from '../upstream/time.ts';
import { readMediaModels } from '../../shared/video/jobs/index.ts';
import { VideoHarness } from '../video/video-harness.ts';
import { endEvent, fakePlatform } from '../chat/completion-harness.ts';
import { FakeQueue } from '../fakes/messenger.ts';
import { NO_RECORDINGS } from '../fakes/recordings.ts';
import { toolServersIn } from '../fakes/tool-servers.ts';
import { commandHarness } from './command-harness.ts';

const MEDIA_MODELS =
  readMediaModels('model-v:image:0.35 text-to-image=model-i::0.04 text-to-video=model-t') ?? [];

export type OptionState = Readonly<Record<string, string | number | boolean>>;
/** A command and its options, by the names of the spec. */
export type Command = { readonly name: string; readonly options: OptionState };

/** What came of a call: all that a person sees, and all that is kept or queued. */
export type Outcome = {
  /** The card, or the form, that the person is answered with, and what others are shown. */
  readonly response: string;
  /** What it changed: settings, what is saved by name, budgets, tasks. */
  readonly changed: string;
  /** The answer is a refusal. */
  readonly isRefusal: boolean;
};

const GRACE = { slack: '@grace', discord: '42' } as const;
/** What people write where a person is wanted, in the words of the platform. */
export const PERSON = '@grace';

/** A workspace that ada administers, on either platform, as a call finds it. */
export async function optionHarness(platform: 'slack' | 'discord') {
  const time = new TestTime();
  const slack = createWorkspace({ clock: time.now });
  const front = discordFrontHarness();
  const ids = new Set(['41', '42', '31']);
  const inDiscord = async (_: unknown, { kinds: [as = 'person'], value }: DirectoryReference) =>
    ids.has(value) ? { kind: 'found' as const, as, id: value } : { kind: 'not-found' as const };
  const directory =
    platform === 'slack'
      ? createSlackDirectory({ call: createDirectClient(slack), time })
      : { find: inDiscord };
  const videos = new VideoHarness();
  videos.models = MEDIA_MODELS;
  videos.vision = { ...videos.vision, video: async (id) => ({ videoId: id, url: 'https://v.example/v' }) };
  const spending = spendingIn(time);
  const recordingsQueue = new FakeQueue();
  const at = commandHarness(
    {
      directory,
      platform: { ...fakePlatform(), readHistory: async () => RECORDED },
      transcription: { queue: recordingsQueue, recordings: NO_RECORDINGS },
      ratings: ratingsIn(time, platform === 'slack' ? slack.channel : '31'),
      budgets: spending,
      toolServers: withReturnedPerson(toolServersIn(time)),
      isPublicChannel: () => Promise.resolve(true),
      videos: videos.context().videos,
      chat: {
        ...streamsOnly,
        model: 'usual',
        async *stream(_, options) {
          yield endEvent(options.format ? '{"title":"Filled"}' : 'An answer.');
        },
        listModels: async () => MODELS,
      },
    },
    time,
  );
  const deliver = (task: Task | undefined) =>
    dispatchTask(JSON.stringify(task), at.context, {
      deadline: time.now() + 60_000,
      isRedelivery: false,
      isLast: false,
    });

  let calls = 0;
  /** Typed behind Slack's command; resolves with the form that the front opens at once. */
  async function type(text: string): Promise<string> {
    const body = slack.command(ADA, `/parley ${text}`, 'general');
    const parsed = parseCommand(body, time.now());
    if (!parsed) throw new Error(`not read: ${text}`);
    const form = buildCommandForm(parsed.interaction.payload, 'slack', 'en');
    if (!form)
      await at.call({ ...parsed.interaction, by: { ...parsed.interaction.by, admin: true, locale: 'en' } });
    return form ? JSON.stringify(form) : '';
  }

  /** Given in Discord, in a thread, and handed on by its front; resolves with what the front answers. */
  async function give({ name, options }: Command): Promise<string> {
    const spec = COMMANDS.find((one) => one.name === name);
    const values = Object.entries(options).map(([option, value]) => {
      const of = spec?.options.find((one) => one.name === option);
      return { name: option, type: of ? TYPES[of.kind] : 3, value: value === PERSON ? GRACE.discord : value };
    });
    const data = { id: '61', type: 1, name, options: values, resolved: { attachments: { '71': PICTURE } } };
    const thread = { channel_id: '32', channel: { id: '32', type: 11, parent_id: '31' } };
    calls += 1;
    const { body } = await front.send(
      interaction({ id: idNow(calls), type: 2, data, ...thread, locale: 'en-US' }),
    );
    const task = front.tasks.pop();
    if (task?.kind === 'invoked') await deliver(task);
    // A question of its own, which the front does not leave to the worker's commands.
    return JSON.stringify(task?.kind === 'ask' ? [body, shownOf(task)] : body);
  }

  async function call(text: string, command: Command): Promise<Outcome> {
    at.stage.answers.length = 0;
    const byFront = await (platform === 'slack' ? type(text) : give(command));
    const [answer] = at.stage.answers;
    const visible = {
      byFront,
      answer: answer?.card,
      openly: answer?.openly,
      posted: [...at.stage.cards],
      files: at.stage.handed.map(({ file }) => file.name),
    };
    const place = {
      platform,
      workspace: platform === 'slack' ? slack.identity.teamId : '21',
      channel: platform === 'slack' ? slack.channel : '31',
      user: platform === 'slack' ? ADA : '41',
    };
    const stored = {
      layers: await at.context.settingsStore.layers({
        ...place,
        thread: { channel: place.channel, root: '32' },
      }),
      saved: [
        await at.context.presets.list(place, 'persona'),
        await at.context.presets.list(place, 'schema'),
      ],
      book: await spending.getPolicy({
        platform,
        workspace: place.workspace,
      }),
      tasks: at.queue.sent.map(({ body }) => parseTask(body)).map((task) => task && shownOf(task)),
      recordings: recordingsQueue.sent
        .map(({ body }) => parseTranscriptionTask(body)?.request)
        .map((request) => ({ ...request, interaction: undefined })),
    };
    return {
      response: JSON.stringify(visible),
      changed: JSON.stringify(stored, (_, value: unknown) =>
        typeof value === 'bigint' ? String(value) : value,
      ),
      isRefusal: answer?.card.tone === 'bad',
    };
  }
  return { type, give, call };
}

/** What the page of a server gave the browser of a person. */
export const CODE_OF_SERVER = 'code';

/** Who confirms a sign-in has just come back from the page of `wiki`. */
function withReturnedPerson(servers: WorkerContext['toolServers']): WorkerContext['toolServers'] {
  const { credentials } = servers;
  const release = credentials.release.bind(credentials);
  return {
    ...servers,
    credentials: Object.assign(credentials, {
      release: async (...[place, typed, user]: Parameters<typeof release>) => {
        const credential = { token: 'token' };
        const signIn = { server: 'wiki', url: undefined, user, isShared: false, credential };
        await credentials.hold(place, CODE_OF_SERVER, signIn);
        return release(place, typed, user);
      },
    }),
  };
}

/** A channel where grace has recorded something. */
const RECORDED = {
  messages: [
    {
      id: messageId('1.1'),
      author: 'Grace',
      by: userId('U2'),
      at: 0,
      text: '(with a.ogg)',
      attachments: [{ id: 'F1', name: 'a.ogg', mimetype: 'audio/ogg', bytes: 9 }],
    },
  ],
  unreadThreads: 0,
  withoutText: 0,
};

const DAY_MS = 86_400_000;

/** Two answers that were rated: a bad one in this channel, yesterday; a good one elsewhere, a fortnight ago. */
function ratingsIn({ now }: TestTime, channel: string): WorkerContext['ratings'] {
  const place = { platform: 'slack', workspace: workspaceId('T1'), root: messageId('1.1') } as const;
  const rating = (days: number, model: string, good: boolean, where: string): Rating => ({
    thread: { ...place, channel: channelId(where) },
    message: messageId('1.1'),
    answer: undefined,
    askedAt: now() - days * DAY_MS,
    model,
    good,
    text: undefined,
  });
  const all = [rating(1, 'usual', false, channel), rating(14, 'big', true, 'C99')];
  return {
    list: async (_, since) => all.filter(({ askedAt }) => askedAt >= since),
    rate: async () => undefined,
    comment: async () => false,
  };
}

/** Of a task, what tells what it is for. */
const shownOf = (task: Task): object =>
  task.kind === 'ask'
    ? {
        kind: task.kind,
        question: task.question,
        model: task.model,
        files: task.attachments.map(({ id }) => id),
        root: task.thread.root.slice(0, 1),
      }
    : { kind: task.kind, scope: 'scope' in task ? task.scope : undefined };

const MODELS = [
  { id: 'usual', inputModalities: ['text'], capabilities: [], ready: true, pricePerThousand: () => 0.42 },
  {
    id: 'big',
    inputModalities: ['text', 'image', 'audio', 'video'],
    capabilities: ['tools', 'reasoning'],
    ready: true,
    pricePerThousand: () => 7,
  },
];
const PICTURE = {
  id: '71',
  filename: 'a.png',
  content_type: 'image/png',
  size: 5,
  url: 'https://cdn.discordapp.com/a',
};
const TYPES: Readonly<Record<OptionSpec['kind'], number>> = {
  text: 3,
  number: 10,
  'yes-no': 5,
  user: 6,
  attachment: 11,
};

/** A command as somebody types it, each option by its name. */
export const byName = ({ name, options }: Command): string =>
  [
    name,
    ...Object.entries(options).map(
      ([option, value]) => `${option}:"${typeof value === 'boolean' ? (value ? 'yes' : 'no') : value}"`,
    ),
  ].join(' ');
