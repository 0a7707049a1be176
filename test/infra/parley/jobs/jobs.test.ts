import { describe, expect, test } from '@jest/globals';
import { channelId, messageId, userId, workspaceId } from '../../../../shared/domain/index.ts';
import { ConditionFailedError } from '../../../../shared/storage/index.ts';
import { type Job, type JobState, jobId } from '../../../../shared/video/jobs/index.ts';
import {
  cancelJob,
  changeJob,
  checkJob,
  findJob,
  printJobs,
} from '../../../../infra/parley/jobs/jobs-command.ts';

const NOW = Date.UTC(2026, 10, 23, 12);

function job(state: JobState, changes: Partial<Job> = {}): Job {
  const id = jobId('0123456789abcdef-0123456789abcdef0123');
  if (id === undefined) throw new Error('not an id');
  return {
    id,
    by: { platform: 'slack', workspace: workspaceId('T1'), user: userId('U1') },
    thread: {
      platform: 'slack',
      workspace: workspaceId('T1'),
      channel: channelId('C1'),
      root: messageId('1.0'),
    },
    requestMessage: messageId('2.0'),
    state,
    version: 1,
    createdAt: NOW - 90_000,
    prompt: 'a secret prompt',
    model: 'video-1',
    price: '0.25',
    key: 'k',
    ...changes,
  };
}

/** Records what is saved and queued. */
function deps() {
  const [saved, sent]: [object[], string[]] = [[], []];
  return {
    saved,
    sent,
    jobs: {
      find: async (): Promise<Job | undefined> => undefined,
      save: async (before: Job, change: object) => {
        saved.push(change);
        return before;
      },
    },
    queue: { send: async (_body: string, _group: string, dedup: string) => void sent.push(dedup) },
    now: () => NOW,
  };
}

describe('jobs', () => {
  test('are listed without their prompt, with what they wait for', () => {
    const lines: string[] = [];
    printJobs(
      [job('queued', { place: 3, isCancelRequested: true })],
      { print: (line) => void lines.push(line), width: undefined },
      NOW,
    );
    expect(lines[1]).toContain('queued (being cancelled, 3 before it)');
    expect(lines[1]).toMatch(/1 min 30 s +\$0\.25 +U1 +slack#T1#C1#1\.0/u);
    expect(lines.join('\n')).not.toContain('secret');
  });

  test('in progress are cancelled by a worker, once', async () => {
    const first = deps();
    await cancelJob(job('running'), first);
    expect(first.saved).toEqual([{ isCancelRequested: true }]);
    expect(first.sent).toEqual(['video#0123456789abcdef-0123456789abcdef0123#cancel']);
    const second = deps();
    await cancelJob(job('running', { isCancelRequested: true }), second);
    expect(second.saved).toEqual([]);
  });

  test('that nobody confirmed are cancelled at once', async () => {
    const all = deps();
    await cancelJob(job('proposed'), all);
    expect(all).toMatchObject({ saved: [{ state: 'cancelled' }], sent: [] });
  });

  test.each(['delivering', 'delivered', 'failed'] as const)(
    'that are %s cannot be cancelled',
    async (state) => {
      const all = deps();
      await expect(cancelJob(job(state), all)).rejects.toThrow(`too late: the job is ${state}`);
      expect(all).toMatchObject({ saved: [], sent: [] });
    },
  );

  test('are checked by a worker, and ended ones are not', async () => {
    const all = deps();
    await checkJob(job('running'), all);
    expect(all.sent).toEqual([`video#0123456789abcdef-0123456789abcdef0123#operator-${NOW / 10_000}`]);
    await expect(checkJob(job('delivered'), all)).rejects.toThrow('nothing to check');
  });

  test('are cancelled as they are now, also if a worker changes them meanwhile', async () => {
    const all = deps();
    const versions = [job('queued', { version: 1 }), job('running', { version: 2 })];
    const jobs = {
      find: async () => versions.shift(),
      save: async (before: Job, change: object) => {
        if (before.version === 1) throw new ConditionFailedError();
        return all.jobs.save(before, change);
      },
    };
    expect(await changeJob(job('queued').id, cancelJob, { ...all, jobs })).toContain('being cancelled');
    expect(all).toMatchObject({ saved: [{ isCancelRequested: true }], sent: [expect.any(String)] });
    await expect(changeJob(job('queued').id, cancelJob, { ...all, jobs })).rejects.toThrow('is gone');
  });

  test('that never stop changing are left, and the person is told to try again', async () => {
    const jobs = {
      find: async () => job('running'),
      save: async () => Promise.reject(new ConditionFailedError()),
    };
    await expect(changeJob(job('running').id, cancelJob, { ...deps(), jobs })).rejects.toThrow('Try again');
  });

  test('are found by the start of the id, if it is long enough', () => {
    const one = job('running');
    expect(findJob([one], '01234567')).toBe(one);
    expect(() => findJob([one], '0123456')).toThrow('no job 0123456');
    expect(() => findJob([one, one], '01234567')).toThrow('Several jobs');
  });
});
