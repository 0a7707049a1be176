import type { Log } from '../shared/flows/index.ts';
import { routedPlatform, routedStage } from '../shared/platforms/routed.ts';
import { withoutErased } from '../shared/platforms/without-erased.ts';
import type { AwsCall } from '../shared/runtime/aws-request.ts';
import type { SpeakingConfig } from '../shared/runtime/config.ts';
import type { Metrics } from '../shared/runtime/metrics.ts';
import { type Dynamo, ErasureMoments, sentAt } from '../shared/store/index.ts';

import { discordSide } from './discord-side.ts';
import type { Side } from './side.ts';
import { slackSide } from './slack-side.ts';

/** Slack and Discord as one: each thread is served by its own platform. One of them alone is as good. */
export function sidesOf(
  config: SpeakingConfig,
  ground: {
    readonly aws: AwsCall;
    readonly dynamo: Dynamo;
    readonly log: Log;
    readonly metrics?: Metrics | undefined;
  },
): Side {
  const sides = { slack: slackSide(config, ground), discord: discordSide(config, ground) };
  const moments = new ErasureMoments({ ...ground, table: config.conversationsTable });
  const erased = {
    of: moments.of.bind(moments),
    ofPeople: moments.ofPeople.bind(moments),
    sentAtMs: (message: string) => sentAt(message) * 1_000,
  };
  return {
    platform: withoutErased(
      routedPlatform(({ platform }) => sides[platform].platform),
      erased,
    ),
    stage: routedStage(({ platform }) => sides[platform].stage),
    people: (of, user) => sides[of.platform].people(of, user),
    directory: { find: (of, reference) => sides[of.platform].directory.find(of, reference) },
    standing: (of, user) => sides[of.platform].standing(of, user),
  };
}
