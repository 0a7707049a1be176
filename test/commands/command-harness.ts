import { toTaskContext } from '../../shared/worker/dispatch-task.ts';
import { EMPTY_QUEUE } from '../fakes/empty-queue.ts';
import {
  serializeTask,
  type InteractionPayload,
  channelId,
  type Interaction,
  messageId,
  userId,
  workspaceId,
} from '../../shared/domain/index.ts';
import { DEFAULTS } from '../../shared/ports/index.ts';
import { streamsOnly } from '../fakes/streams-only.ts';
import { type ProcessContext, type WorkerContext, dispatchTask } from '../../shared/worker/index.ts';
import { TurnSignals, Turns } from '../../shared/storage/index.ts';
import { createMemoryDynamo } from '../fakes/dynamo.ts';
import { bareContext } from '../fakes/bare-context.ts';
import { integrationsIn } from '../fakes/integrations.ts';
import { settingsStoresIn } from '../fakes/settings-stores.ts';
import { UNLIMITED_PERMITS } from '../fakes/permits.ts';
import { FakeQueue, FakeMessenger } from '../fakes/messenger.ts';
import { TestTime } from '../upstream/time.ts';
import { endEvent, fakePlatform } from '../chat/completion-harness.ts';

/** A call as a platform hands it in. */
export function fakeInteraction(call: InteractionPayload, more: Partial<Interaction> = {}): Interaction {
  return {
    id: 'call-1',
    platform: 'slack',
    workspace: workspaceId('T1'),
    channel: channelId('C1'),
    by: { user: userId('U1'), workspace: workspaceId('T1'), roles: [] },
    responseToken: 'ticket',
    tokenExpiresAtMs: 1_800_000,
    payload: call,
    ...more,
  };
}

/** What is typed behind Slack's command. */
export const typedCommand = (text: string): Extract<InteractionPayload, { kind: 'command' }> => ({
  kind: 'command',
  name: '/parley',
  options: { text },
  attachments: [],
});

/** Everything `invoked` needs of what a test does not say. */
export function commandHarness(more: Partial<WorkerContext> = {}, time = new TestTime()) {
  const stage = new FakeMessenger();
  const queue = new FakeQueue();
  const logged: string[] = [];
  const dynamo = createMemoryDynamo();
  const store = { dynamo, table: 'conversations', days: 30, now: time.now };
  const process: ProcessContext = {
    ...bareContext(store),
    messenger: stage,
    queue,
    showMessage: EMPTY_QUEUE,
    time,
    platform: fakePlatform(),
    turns: new Turns(store),
    signals: new TurnSignals(store),
    chat: {
      ...streamsOnly,
      async *stream() {
        yield endEvent('An answer.');
      },
    },
    permits: UNLIMITED_PERMITS,
    settings: DEFAULTS,
    ...settingsStoresIn(store),
    integrations: integrationsIn(store, 'https://api.example.com'),
    log: (event: string) => void logged.push(event),
    ...more,
  };
  const context = toTaskContext(process);
  const call = async (interaction: Interaction, last = false, isRedelivery = false) => {
    const { platform: name, workspace, channel = channelId('none'), by } = interaction;
    const message = messageId(interaction.id);
    const thread = interaction.thread ?? { platform: name, workspace, channel, root: message };
    const task = {
      v: 1 as const,
      thread,
      message,
      asker: by.user,
      askerWorkspace: by.workspace,
      interaction,
    };
    const body = serializeTask({ ...task, kind: 'invoked' });
    return dispatchTask(body, context, {
      deadline: time.now() + 60_000,
      isRedelivery,
      isLast: last,
    });
  };
  /** Runs a task of the queue. */
  const dispatch = (body: string) =>
    dispatchTask(body, context, { deadline: time.now() + 60_000, isRedelivery: false, isLast: false });
  return { context, stage, queue, time, logged, dynamo, call, dispatch };
}
