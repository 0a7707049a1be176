import { setDynamo } from '../../functions/composition/dynamo.ts';
import type { Extensions } from '../../functions/composition/index.ts';
import { createSharedFiles } from '../../functions/composition/process/task-worker.ts';
import { createWorkerContext } from '../../functions/composition/worker.ts';
import { noPhases } from '../../shared/aws/xray-segments.ts';
import { parseTask, getTaskTurnRef } from '../../shared/domain/index.ts';
import { systemTime } from '../../shared/runtime/index.ts';
import { readWorkerConfig } from '../../shared/runtime/config/config.ts';
import type { SettingValues } from '../../shared/settings/rules/index.ts';
import { TurnIntake } from '../../shared/storage/index.ts';
import { dispatchTask } from '../../shared/worker/index.ts';
import { createMemoryDynamo } from '../fakes/dynamo.ts';

export type Asking = {
  readonly extensions: Extensions;
  readonly upstreamBaseUrl: string;
  readonly upstreamKey: string;
  readonly model: string;
  readonly slack: { readonly apiUrl: string; readonly botToken: string; readonly teamId: string };
  readonly question: {
    readonly text: string;
    readonly ts: string;
    readonly channel: string;
    readonly asker: string;
  };
  /** What administrators of the workspace have set. */
  readonly settings?: SettingValues;
};

/** Answers one question with the worker that is deployed: its composition, with these extensions, and tables in memory. */
export async function askWith(asking: Asking): Promise<void> {
  const { extensions, slack, question, settings } = asking;
  const config = readWorkerConfig({
    ...ENV,
    SLACK_API_URL: slack.apiUrl,
    UPSTREAM_BASE_URL: asking.upstreamBaseUrl,
    UPSTREAM_MODEL: asking.model,
  });
  const dynamo = createMemoryDynamo();
  setDynamo(config, dynamo);
  const secrets = { apiKey: asking.upstreamKey, botToken: slack.botToken };
  const aws = () => Promise.resolve({ SecretString: JSON.stringify(secrets) });
  const built = createWorkerContext(
    config,
    aws,
    { ...createSharedFiles(), notePhases: noPhases },
    extensions,
  );
  const context = {
    ...built,
    ...(settings && {
      settingsStore: Object.assign(built.settingsStore, {
        layers: async () => ({ workspace: { values: settings, locks: {} } }),
      }),
    }),
    metrics: () => undefined,
    log: () => undefined,
  };
  const thread = { platform: 'slack', workspace: slack.teamId, channel: question.channel, root: question.ts };
  const body = JSON.stringify({
    v: 1,
    kind: 'ask',
    thread,
    message: question.ts,
    asker: question.asker,
    askerWorkspace: slack.teamId,
    question: question.text,
    receivedAt: systemTime.now(),
  });
  const task = parseTask(body);
  if (task?.kind !== 'ask') throw new Error('the task is not valid');
  const { conversationsTable: table, historyDays: days } = config;
  const { now } = systemTime;
  const intake = new TurnIntake({ dynamo, table, days, now });
  await intake.accept(getTaskTurnRef(task), task.question, []);
  const { kind } = await dispatchTask(body, context, {
    deadline: now() + 60_000,
    isRedelivery: false,
    isLast: false,
  });
  if (kind !== 'done') throw new Error(`the question ended with ${kind}`);
}

const ENV = {
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'id',
  AWS_SECRET_ACCESS_KEY: 'none',
  LOG_LEVEL: 'error',
  CONVERSATIONS_TABLE: 'conversations',
  TOKENS_TABLE: 'tokens',
  TASK_QUEUE_URL: 'https://sqs.eu-central-1.amazonaws.com/1/tasks.fifo',
  VOICE_QUEUE_URL: 'https://sqs.eu-central-1.amazonaws.com/1/voice.fifo',
  SLACK_BOT_SECRET_ID: 'slack-bot',
  SLACK_OAUTH_SECRET_ID: 'slack-oauth',
  SEAL_KEY_ID: 'seal',
  DEAD_QUEUE: 'dead.fifo',
  ALONE_QUEUE: 'alone.fifo',
  MEDIA_BUCKET: 'media',
  PUBLIC_URL: 'https://bot.example.com',
  DISCORD_BOT_SECRET_ID: 'discord-bot',
  UPSTREAM_SECRET_ID: 'upstream',
  SYSTEM_PROMPT: 'You are Parley.',
};
