import { routedPlatform, routedStage } from '../shared/platforms/routed.ts';
import { type ErasedUntil, withoutErased } from '../shared/platforms/without-erased.ts';
import type { SpeakingConfig } from '../shared/runtime/config.ts';
import { ErasureMoments, sentAt } from '../shared/store/index.ts';
import { discordSide } from './discord-side.ts';
import type { Side } from './side.ts';
import { slackSide } from './slack-side.ts';

/** Slack and Discord as one: each thread is served by its own platform. One of them alone is as good. */
export function sidesOf(
  config: SpeakingConfig,
  ground: Parameters<typeof slackSide>[1] & Parameters<typeof discordSide>[1],
): Side {
  const sides = { slack: slackSide(config, ground), discord: discordSide(config, ground) };
  return {
    platform: withoutErased(
      routedPlatform(({ platform }) => sides[platform].platform),
      erasedUntil({ ...ground, table: config.conversationsTable }),
    ),
    stage: routedStage(({ platform }) => sides[platform].stage),
    people: (of, user) => sides[of.platform].people(of, user),
    directory: { find: (of, reference) => sides[of.platform].directory.find(of, reference) },
    standing: (of, user) => sides[of.platform].standing(of, user),
  };
}

/** Until when people and threads are forgotten, as the table holds it. */
export function erasedUntil(store: ConstructorParameters<typeof ErasureMoments>[0]): ErasedUntil {
  const moments = new ErasureMoments(store);
  return {
    of: moments.of.bind(moments),
    ofPeople: moments.ofPeople.bind(moments),
    sentAtMs: (message) => sentAt(message) * 1_000,
  };
}
