import * as v from 'valibot';
import { type Check, fail } from './check.ts';
import type { ProbeResult } from './probe.ts';

const botsInfoSchema = v.object({ ok: v.literal(true), bot: v.object({ app_id: v.string() }) });

/** Returns the id of the app from an app-level token (`xapp-1-A0123456789-...`). Undefined for another form. */
export const readAppIdOfToken = (appToken: string): string | undefined =>
  /^xapp-\d+-(A[A-Z0-9]+)-/.exec(appToken)?.[1];

/** Returns the id of the app that the bot belongs to, from the response to `bots.info`. */
export function readAppIdOfBot(response: ProbeResult | undefined): string | undefined {
  const parsed = response?.kind === 'answered' ? v.safeParse(botsInfoSchema, response.json) : undefined;
  return parsed?.success ? parsed.output.bot.app_id : undefined;
}

/** Compares the apps of the two tokens. Empty if one of them is unknown. */
export function evaluateAppIds(appToken: string, appIdOfBot: string | undefined): Check[] {
  const appId = readAppIdOfToken(appToken);
  if (appId === undefined || appIdOfBot === undefined || appId === appIdOfBot) return [];
  return [
    fail(
      'SLACK_APP_TOKEN',
      `belongs to the app ${appId}, but SLACK_BOT_TOKEN to ${appIdOfBot}: events would come for another bot.`,
      `Copy both tokens from the same app: api.slack.com/apps/${appIdOfBot}.`,
    ),
  ];
}
