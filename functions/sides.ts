import type { Deps, Log } from '../shared/flows/index.ts';
import { routedPlatform, routedStage } from '../shared/platforms/routed.ts';
import type { AwsCall } from '../shared/runtime/aws-request.ts';
import type { deadLettersConfig, WorkerConfig } from '../shared/runtime/config.ts';
import type { Dynamo } from '../shared/store/index.ts';
import { discordSide } from './discord-side.ts';
import { slackSide } from './slack-side.ts';

/** Slack and Discord as one: each thread is served by its own platform. One of them alone is as good. */
export function sidesOf(
  config: ReturnType<typeof deadLettersConfig> | WorkerConfig,
  ground: { readonly aws: AwsCall; readonly dynamo: Dynamo; readonly log: Log },
): Pick<Deps, 'platform' | 'stage' | 'people'> {
  const sides = { slack: slackSide(config, ground), discord: discordSide(config, ground) };
  return {
    platform: routedPlatform(({ platform }) => sides[platform].platform),
    stage: routedStage(({ platform }) => sides[platform].stage),
    // Calls of Discord tell all there is.
    people: sides.slack.people,
  };
}
