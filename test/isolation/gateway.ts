import { EMPTY_QUEUE } from '../fakes/empty-queue.ts';
import { everyMessageIsNew } from '../../shared/intake/accept-question.ts';
import { handleEvent } from '../../shared/intake/handle-event.ts';
import { parseGatewayEvent } from '../../shared/platforms/discord/gateway/events/events.ts';
import { ChannelDirectory } from '../../shared/platforms/discord/gateway/events/channel-directory.ts';
import { EditFilter } from '../../shared/platforms/discord/gateway/events/edit-filter.ts';
import type { Queue } from '../../shared/aws/sqs-queue.ts';
import { type createRestCall, DiscordApiError } from '../../shared/platforms/discord/index.ts';
import { type Dynamo, Recordings, SettingsStore, TurnSignals, Turns } from '../../shared/storage/index.ts';
import type { SimulatedTime } from './simulated-time.ts';

export const BOT_TOKEN = 'simulated.discord.token';

/** A refused request means that the object is not visible; a failed request is retried. */
const ifThere = (error: unknown): undefined => {
  if (!(error instanceof DiscordApiError)) throw error;
};

type GatewayClients = {
  readonly dynamo: Dynamo;
  readonly time: Pick<SimulatedTime, 'now'>;
  readonly queues: { readonly tasks: Queue; readonly voice: Queue };
  readonly restCall: typeof createRestCall;
  readonly applicationId: string;
};

/** Handles gateway events as `functions/composition/discord/discord-relay.ts` does. */
export function gatewayOf(
  { dynamo, time: { now }, queues, restCall, applicationId }: GatewayClients,
  table: string,
): (t: string, d: unknown) => Promise<void> {
  const store = { dynamo, table, days: 30, now };
  const call = restCall({
    apiUrl: 'https://discord.com/api',
    applicationId,
    token: async () => BOT_TOKEN,
    now,
    random: () => 0.5,
  });
  const read = (path: string): Promise<unknown> => call({ method: 'GET', path }).catch(ifThere);
  const places = new ChannelDirectory({
    channel: (id) => read(`/channels/${id}`),
    message: (channel, id) => read(`/channels/${channel}/messages/${id}`),
    messages: () => Promise.resolve([]),
    gateway: () => Promise.reject(new Error('no gateway here')),
  });
  const edits = new EditFilter(now);
  const me = {
    id: applicationId,
    role: () => undefined,
    mayConcern: () => true,
    acceptEdit: (message: string, editedAtMs: number) => edits.accept(message, editedAtMs),
  };
  const context = {
    turns: new Turns(store),
    signals: new TurnSignals(store),
    queue: queues.tasks,
    showMessage: EMPTY_QUEUE,
    transcriptionQueue: queues.voice,
    settingsStore: new SettingsStore(store),
    recordings: new Recordings(store),
    recentMessages: everyMessageIsNew,
    allowedBots: new Set<string>(),
    now,
  };
  return async (t, d) => {
    const event = parseGatewayEvent(t, d, me, places, now());
    if (event.kind === 'drop') return;
    const chatEvents = await event.chatEvents(places);
    if (typeof chatEvents === 'string') return;
    for (const one of chatEvents) await handleEvent(one, context);
  };
}
