import { noRecordingTracking } from '../../shared/voice/auto-transcribe.ts';
import { createHmac } from 'node:crypto';
import { createSlackFront } from '../../functions/composition/slack/slack-front.ts';
import { loadDraftedForm } from '../../shared/commands/forms/load-draft.ts';
import { buildMoreActionsForm as moreActionsIn } from '../../shared/commands/definitions/more-actions.ts';
import { buildCommandForm } from '../../shared/commands/open-command-form.ts';
import { loadVideoForm } from '../../shared/commands/forms/video-form.ts';
import { readMediaModels } from '../../shared/video/jobs/index.ts';
import { renderModalView } from '../../shared/platforms/slack/blocks/modal-view.ts';
import { createShowMessage, createSqsQueue } from '../../shared/aws/sqs-queue.ts';
import { TurnIntake } from '../../shared/storage/turns/turn-intake.ts';
import { fetchDynamo } from '../../shared/storage/dynamodb/fetch-client.ts';
import { createDynamoSend } from '../../shared/storage/dynamodb/json-protocol.ts';
import { FrontStore } from '../../shared/storage/interactions/front-store.ts';
import { TurnSignals, SettingsStore } from '../../shared/storage/index.ts';
import { TtlCache } from '../../shared/utils/ttl-cache.ts';
import type { Random } from '../faults/seeded-random.ts';
import { NOW, SECRET } from '../functions/slack.ts';
import { type EntryPoint, faultOf, type Try } from './entry-point.ts';
import { type Headers, requestFrom, type Signatures } from './gateway.ts';
import type { Json } from './json.ts';
import { bodyFrom, chance, mutated, oddText, pick } from './mutate.ts';
import { slackSamples } from './slack-samples.ts';
import { strictAws } from './strict-aws.ts';

const signAt =
  (at: number, secret = SECRET) =>
  (bytes: Buffer): Headers => {
    const timestamp = String(Math.floor(at / 1000));
    const digest = createHmac('sha256', secret).update(`v0:${timestamp}:`).update(bytes).digest('hex');
    return { 'x-slack-request-timestamp': timestamp, 'x-slack-signature': `v0=${digest}` };
  };

const SIGNATURES: Signatures = {
  good: signAt(NOW),
  bad: [
    signAt(NOW, 'another-secret'),
    signAt(NOW, ''),
    signAt(NOW - 301_000),
    signAt(NOW + 301_000),
    () => ({ 'x-slack-request-timestamp': String(NOW / 1000), 'x-slack-signature': `v0=${'0'.repeat(64)}` }),
    () => ({ 'x-slack-request-timestamp': 'NaN', 'x-slack-signature': 'v0=' }),
  ],
};

/** A form with unusual fields, serialized. */
function formFrom(random: Random, sample: Json): Buffer {
  const fields = mutated(random, sample);
  const pairs = Object.entries(typeof fields === 'object' && fields !== null ? fields : {});
  const form = new URLSearchParams(
    pairs.map(([name, value]): [string, string] => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
  if (chance(random, 0.05)) form.append(pairs[0]?.[0] ?? 'payload', oddText(random));
  const text = form.toString();
  return Buffer.from(
    chance(random, 0.1) ? text.replace(/%../u, pick(random, ['%', '%ff', '%00', '%u0000'])) : text,
  );
}

const payloadFrom = (random: Random, sample: Json): Buffer =>
  Buffer.from(new URLSearchParams({ payload: bodyFrom(random, sample).toString() }).toString());

const TYPES = { json: 'application/json', form: 'application/x-www-form-urlencoded' } as const;
const BODIES = { json: bodyFrom, form: formFrom, payload: payloadFrom } as const;

const URL_OF_QUEUE = 'https://sqs.example.com/1/tasks.fifo';

const now = (): number => NOW;
const quiet = (): void => undefined;

/**
 * The deployed front with tables and queues that reject what AWS rejects. Slack is unreachable, so modals are left to
 * the worker.
 */
function slackHarness() {
  const harness = strictAws();
  const wrong: string[] = [];
  const dynamo = fetchDynamo(harness.aws);
  const store = { dynamo, table: 'conversations', days: 30, now };
  const choices = new SettingsStore(store);
  const frontStore = new FrontStore({
    send: createDynamoSend(harness.aws),
    table: 'conversations',
    days: 30,
    now,
  });
  const queue = createSqsQueue(URL_OF_QUEUE, harness.aws);
  const handle = createSlackFront({
    secrets: async () => [SECRET, ''],
    turns: new TurnIntake(store),
    recordings: noRecordingTracking,
    recentMessages: new TtlCache({ now, ttlMs: 10_000, maxEntries: 1_000 }),
    signals: new TurnSignals(store),
    queue,
    showMessage: createShowMessage(URL_OF_QUEUE, harness.aws),
    transcriptionQueue: queue,
    settingsStore: choices,
    openForm: async ({ interaction }) => {
      const { payload: call, platform, workspace, by } = interaction;
      const video = await loadVideoForm(interaction, { store: frontStore, videoModels: MODELS });
      const drafted = await loadDraftedForm(call, { platform, workspace, user: by.user }, frontStore);
      const form =
        video?.('en') ??
        drafted?.('en') ??
        moreActionsIn(call, 'en') ??
        buildCommandForm(call, 'slack', 'en');
      // Built, but not opened.
      if (form) renderModalView(form, interaction);
      return false;
    },
    allowedBots: new Set(['B1']),
    now,
    log: {
      debug: quiet,
      info: quiet,
      warn: quiet,
      error: (event, facts = {}) => {
        // A body that does not match its type is rejected; any other outcome is a defect.
        if (facts['error'] !== 'UnreadableBodyError') wrong.push(`${event} ${JSON.stringify(facts)}`);
      },
    },
  });
  return { handle, harness, wrong };
}

const MODELS = readMediaModels('model-v:image:0.35') ?? [];
const samples = slackSamples();

export const slackEntry: EntryPoint = {
  name: 'slack',
  share: 28,
  open: (random): Try => {
    const { handle, harness, wrong } = slackHarness();
    return async () => {
      const { kind, body } = pick(random, samples);
      const type = TYPES[kind === 'json' ? 'json' : 'form'];
      const sent = requestFrom(random, body, type, SIGNATURES, BODIES[kind]);
      const before = harness.calls;
      const answer = await handle(sent.event);
      return (
        wrong.splice(0)[0] ??
        harness.rejections.splice(0)[0] ??
        faultOf(answer, sent.signed, harness.calls - before)
      );
    };
  },
};
