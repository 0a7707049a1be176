import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleFile } from '../../infra/cdk/bundle.ts';
import { buildTemplate } from '../../infra/local/template/build.ts';
import { createCertificates } from './tls.ts';
import type { TemplateBuild } from '../../infra/local/emulator.ts';

/** Lambda gives a whole processor for this much memory. */
export const MB_OF_A_PROCESSOR = 1_769;

/** A function of the deployment, by the start of its name in the template, and the Node options of its process. */
type Measured = {
  readonly name: string;
  readonly memoryMb: number;
  /** Whether it encrypts its connections, as it does when it is deployed. */
  readonly tls?: boolean;
};

/**
 * The deployment, or `deployment`, with one of its functions in a process of its own, as Lambda starts Node with that
 * memory. `pid` throws before it has started.
 */
export async function inOwnProcess(
  folder: string,
  { name, memoryMb, tls = false }: Measured,
  deployment?: TemplateBuild,
): Promise<{ readonly built: TemplateBuild; readonly pid: () => string }> {
  const built = deployment ?? (await buildTemplate());
  const semi = Math.round(memoryMb / 20);
  const flags = [`--max-old-space-size=${memoryMb - 2 * semi}`, `--max-semi-space-size=${semi}`];
  const assetDir = (id: string): string => {
    if (!id.startsWith(name)) return built.assetDir(id);
    const start = join(built.assetDir(id), 'start.mjs');
    const bundle = existsSync(start) ? start : join(built.assetDir(id), 'index.js');
    mkdirSync(folder, { recursive: true });
    for (const file of ['start.js', 'index.js'])
      bundleFile('test/bench/bundle-process.ts', join(folder, file));
    writeFileSync(join(folder, 'package.json'), '{"type":"commonjs"}');
    const certificates = tls ? createCertificates(folder) : undefined;
    writeFileSync(join(folder, 'own-process.json'), JSON.stringify({ bundle, flags, certificates }));
    return folder;
  };
  return { built: { ...built, assetDir }, pid: () => readFileSync(join(folder, 'pid'), 'utf8') };
}

/** The processor time of all threads of a process (ms). */
export function processorMs(pid: string): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  // The first number is in ns.
  const times = threads.map((id) =>
    Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ')[0]),
  );
  return times.reduce((sum, ns) => sum + ns, 0) / 1e6;
}
