import { expect, test } from '@jest/globals';
import { Deployment } from './deployment.ts';

test.each([
  ['clock-forward', 5_000],
  ['clock-back', -5_000],
] as const)(
  '%s: the whole process has another time from then on, and no other process has',
  async (fault, ms) => {
    const deployment = new Deployment((index) => (index === 1 ? fault : undefined));
    const { processes, time } = deployment;
    /** How far the clock of a worker is ahead before and after each of two requests (ms). */
    const work = (): Promise<readonly number[] | undefined> =>
      processes.run('worker', async () => {
        const { time: clock } = deployment.system().context;
        const ahead: number[] = [clock.now() - time.now()];
        for (const request of ['first', 'second']) {
          await processes.call(`get ${request}`, () => undefined);
          ahead.push(clock.now() - time.now());
        }
        return ahead;
      });
    expect(await work()).toEqual([0, 0, ms]);
    expect(await work()).toEqual([0, 0, 0]);
    expect(processes.clock.now()).toBe(time.now());
  },
);
