/** The time of a test in ms since 1970. Only `sleep` advances it. */
let now = 0;
const realNow = Date.now.bind(Date);

/**
 * Replaces the time of this process until `restoreClock`. @discordjs/rest reads Date.now itself, so its limits end
 * only if Date.now advances with the sleeps of the platform.
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
    // The typing indicator, which sleeps eight seconds, would advance the time of everything else.
    if (ms === 8_000) return new Promise<void>(() => undefined);
    now += ms;
    return Promise.resolve();
  },
};
