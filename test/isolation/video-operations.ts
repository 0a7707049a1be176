import { pressDiscordCard, pressSlackCard } from './card-operations.ts';
import { pick } from './commands.ts';
import type { IsolationHarness } from './harness.ts';
import { slackName } from './observe-platforms.ts';
import type { Operation } from './operation.ts';
import { partsOf } from './video-service.ts';

/** The action of the button that starts a proposed video, makes another one, or renews the link of a large one. */
const MAKE_VIDEO = /video\.(?:make|again|link)/u;

/** Starts a proposed video, makes it again, or renews its link: by the person who asked for it. */
export const makeVideoOnSlack = (harness: IsolationHarness): Operation | undefined =>
  pressSlackCard(
    harness,
    MAKE_VIDEO,
    ({ ts }, tenant, channel) => harness.origins.get(slackName(tenant, channel, ts))?.user,
  );

/** Starts a proposed video, makes it again, or renews its link: by the person who asked for it. */
export const makeVideoOnDiscord = (harness: IsolationHarness): Operation | undefined =>
  pressDiscordCard(harness, MAKE_VIDEO, ({ id }) => harness.origins.get(id)?.user);

const WRONG_SECRET = 'w'.repeat(43);
/** The response to everybody without the secret. */
const EVERYBODY = 404;
const MAX_OPEN_VIDEOS = 3;

/** A callback of the video service, or of a stranger who knows the URL of another job. */
export function callBack(harness: IsolationHarness): Operation | undefined {
  const { random, videos, checker } = harness;
  // Those of before have ended, and accept no callback.
  const recent = videos.finished.slice(-MAX_OPEN_VIDEOS);
  const video = pick(random, recent);
  if (!video) return undefined;
  const { job, secret } = partsOf(video);
  const others = videos.finished.map((one) => partsOf(one).secret).filter((one) => one !== secret);
  const presentedSecret =
    pick(random, [secret, pick(random, others) ?? WRONG_SECRET, WRONG_SECRET]) ?? secret;
  const event = {
    pathParameters: { job, secret: presentedSecret },
    headers: {},
    body: '{}',
    isBase64Encoded: false,
  };
  const act = async (): Promise<void> => {
    const { statusCode } = await harness.system.callback(event);
    if (presentedSecret !== secret && statusCode !== EVERYBODY)
      checker.fail(`a callback with the secret of another job is answered with ${statusCode}`);
  };
  const operation = presentedSecret === secret ? 'system: video callback' : 'forged callback';
  return { actor: { ...video.actor, operation }, act, detail: job };
}
