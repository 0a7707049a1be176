import { createWebCall } from '../../shared/platforms/slack/index.ts';
import {
  createAwsCall,
  createSecretReader,
  slackBotSchema,
  slackSigningSchema,
} from '../../shared/aws/index.ts';
import { type readCanaryConfig, ROUTES, systemTime } from '../../shared/runtime/index.ts';
import type { CanaryDeps } from './canary-question.ts';

/** The front responds within 3 s, or Slack gives up. */
const POST_TIMEOUT_MS = 3_000;

/** Builds what a test question needs. */
export function createCanaryDeps(config: ReturnType<typeof readCanaryConfig>): CanaryDeps {
  const clients = { aws: createAwsCall(config.aws, { deadlineMs: 5_000 }), now: systemTime.now };
  const signing = createSecretReader(config.slackSigningSecretId, slackSigningSchema, clients);
  const bot = createSecretReader(config.slackBotSecretId, slackBotSchema, clients);
  return {
    call: createWebCall({
      slackApiUrl: config.slackApiUrl,
      token: async (how) => (await (how?.refresh ? bot.refresh() : bot.load())).botToken,
    }),
    post: async (body, headers) => {
      const url = new URL(ROUTES.slackEvents, config.publicUrl);
      const signal = AbortSignal.timeout(POST_TIMEOUT_MS);
      return (await fetch(url, { method: 'POST', body, headers, redirect: 'error', signal })).status;
    },
    signingSecret: async () => (await signing.load()).current,
    channel: config.canaryChannel,
    person: config.canaryPerson,
    time: systemTime,
    random: Math.random,
  };
}
