import type { ScheduledHandler } from 'aws-lambda';
import { createWebCall } from '../shared/platforms/slack/index.ts';
import { createAwsCall, secret, slackBotSchema, slackSigningSchema } from '../shared/aws/index.ts';
import { canaryConfig, ROUTES, systemTime } from '../shared/runtime/index.ts';
import { askCanary, logOf, metricsOf } from './composition/index.ts';
import { errorName } from '../shared/utils/index.ts';

/** The front responds within 3 s, or Slack gives up. */
const POST_TIMEOUT_MS = 3_000;

const config = canaryConfig();
const ground = { aws: createAwsCall(config.aws, { deadlineMs: 5_000 }), now: systemTime.now };
const signing = secret(config.slackSigningSecretId, slackSigningSchema, ground);
const bot = secret(config.slackBotSecretId, slackBotSchema, ground);
const { error: log } = logOf(config);
const metrics = metricsOf(config);

const context = {
  call: createWebCall({
    slackApiUrl: config.slackApiUrl,
    token: async (how) => (await (how?.refresh ? bot.refresh() : bot.load())).botToken,
  }),
  post: async (body: string, headers: Readonly<Record<string, string>>): Promise<number> => {
    const url = new URL(ROUTES.slackEvents, config.publicUrl);
    const signal = AbortSignal.timeout(POST_TIMEOUT_MS);
    return (await fetch(url, { method: 'POST', body, headers, redirect: 'error', signal })).status;
  },
  signingSecret: async () => (await signing.load()).current,
  channel: config.canaryChannel,
  person: config.canaryPerson,
  time: systemTime,
  random: Math.random,
} satisfies Parameters<typeof askCanary>[0];

/** Asks a test question. Rejects when it is not answered, which raises an alarm. */
export const handler: ScheduledHandler = async () => {
  try {
    metrics('canary.answered', { CanaryTime: await askCanary(context) });
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown';
    log('canary.failed', { error: errorName(error), reason });
    throw error;
  }
};
