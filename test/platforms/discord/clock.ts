/** The time of a test in ms since 1970. Only `sleep` moves it. */
let now = 0;
const realNow = Date.now.bind(Date);

/**
 * Replaces the time of this process until `restoreClock`. @discordjs/rest reads Date.now itself, so a limit that it
 * keeps ends only if Date.now moves with the time that the platform has slept.
 */
export function replaceClock(): void {
  now = realNow();
  Date.now = () => now;
}

export function restoreClock(): void {
  Date.now = realNow;
}

export const clock = {
  now: (): number => Date.now(),
  sleep: (ms: number): Promise<void> => {
    // Whoever shows "is typing" every eight seconds would move the time of all others.
    if (ms === 8_000) return new Promise<void>(() => undefined);
    now += ms;
    return Promise.resolve();
  },
};
