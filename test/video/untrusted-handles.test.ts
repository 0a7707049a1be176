import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createServer } from 'node:http';
import { createVideoFetcher } from '../../functions/composition/video/fetch-video.ts';
import { startJob } from '../../shared/video/propose-job.ts';
import { createUpstream } from '../../shared/upstream/index.ts';
import { startUpstreamSimulator, type UpstreamSimulator } from '../simulators/upstream/index.ts';
import { reply } from '../upstream/raw-server.ts';
import { withServer } from '../upstream/raw-server-harness.ts';
import { TestTime } from '../upstream/time.ts';
import { videoRequest, person, VideoHarness } from './video-harness.ts';

let sim: UpstreamSimulator;
beforeAll(async () => {
  sim = await startUpstreamSimulator({ paceMs: 0, clock: () => 1_700_000_000_000 });
});
afterAll(() => sim.close());

const visionOf = (visionUrl: string, apiKey = sim.apiKey) =>
  createUpstream({
    baseUrl: visionUrl,
    visionUrl,
    apiKey: () => Promise.resolve(apiKey),
    time: new TestTime(),
    random: () => 0.5,
  }).vision;

/** A context whose service is the simulator, over HTTP. */
function simulated(): VideoHarness {
  // Contexts number their keys alike: a key of an earlier one would return its result.
  sim.reset();
  const w = new VideoHarness();
  Object.assign(w.vision, visionOf(sim.visionUrl));
  return w;
}

describe('a handle with an untrusted URL', () => {
  test.each([
    ['another host', () => 'https://vision.example.net'],
    ['an address of numbers', () => 'https://169.254.169.254'],
    ['a name and a password', () => sim.visionUrl.replace('http://', 'http://key:word@')],
    ['the same host at another port', () => 'http://127.0.0.1:1'],
  ])('%s: nothing is sent there, and the job ends', async (_, origin) => {
    const w = simulated();
    sim.control.change({ handleOrigin: origin() });
    const before = sim.journal.length;
    await w.process((context) => startJob(videoRequest(), context));
    await w.serve();
    sim.control.change({ handleOrigin: sim.visionUrl });
    expect(await w.context().videos.jobs.listByPerson(person, 9)).toMatchObject([
      { state: 'failed', reason: expect.stringContaining('another attempt may cost again') },
    ]);
    expect(sim.journal.slice(before).map(({ method }) => method)).toEqual(['POST']);
  });

  test('a redirect is not followed, so that the key does not leak', async () => {
    const urls: string[] = [];
    const thief = createServer((request, response) => {
      urls.push(String(request.headers['x-api-key']));
      response.end('{}');
    });
    await new Promise<void>((resolve) => thief.listen(0, '127.0.0.1', resolve));
    const at = thief.address();
    const port = typeof at === 'object' && at !== null ? at.port : 0;
    await withServer(
      (socket) => reply(socket, 302, {}, { location: `http://127.0.0.1:${port}/` }),
      async ({ server }) => {
        const url = server.url;
        const handle = {
          requestId: 'r',
          status: '',
          statusUrl: `${url}/s`,
          responseUrl: url,
          cancelUrl: `${url}/c`,
        };
        await expect(visionOf(url).status(handle)).rejects.toBeDefined();
      },
    );
    expect(urls).toEqual([]);
    await new Promise((resolve) => thief.close(resolve));
  });
});

test('the store of a video is told who asks', async () => {
  await withServer(
    (socket) => reply(socket, 404, {}),
    async ({ server }) => {
      await expect(createVideoFetcher(server.url)(`${server.url}/v.mp4`)).rejects.toBeDefined();
      expect(server.requests[0]?.headers['user-agent']).toMatch(/^Parley\/\d/u);
    },
  );
});

test.each([
  'http://files.example.com/v.mp4',
  'https://127.0.0.1/v.mp4',
  'https://[::1]/v.mp4',
  'https://user:word@files.example.com/v.mp4',
  'https://files.example.com:8443/v.mp4',
  'https://localhost/v.mp4',
  'https://printer.local/v.mp4',
  'file:///etc/passwd',
  'nonsense',
])('a video is not fetched from %s', async (address) => {
  const fetch = createVideoFetcher('https://vision.example.com');
  await expect(fetch(address)).rejects.toMatchObject({ name: 'VideoUnreachableError', isPermanent: true });
});
