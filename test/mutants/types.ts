import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { PROJECT, type SourceFile } from '../../infra/checks/source-tree.ts';
import type { Replaced } from './run-suites.ts';

const TSC = join(PROJECT, 'node_modules', 'typescript', 'bin', 'tsc');
const TIMEOUT_MS = 120_000;
const run = promisify(execFile);

/** The type checker, on a copy of what is deployed: whether a change of one file still compiles. */
export class TypeCheck {
  readonly #folder: string;
  readonly #files: ReadonlyMap<string, string>;
  #last: Promise<unknown> | undefined;

  /** `folder` is where the copy is kept, between calls as well: the checker then looks only at what depends on the change. */
  constructor(folder: string, files: readonly SourceFile[]) {
    this.#folder = folder;
    const deployed = files.filter(({ path }) => /^(?:shared|functions)\/.*\.(?:ts|json)$/u.test(path));
    this.#files = new Map(deployed.map(({ path, text }) => [path, text]));
  }

  /** One call after the other: there is one copy. */
  accepts(replaced: Replaced): Promise<boolean> {
    const before = this.#last ?? this.#copy();
    const verdict = before.then(() => this.#compile(replaced));
    this.#last = verdict.catch(() => undefined);
    return verdict;
  }

  async #copy(): Promise<void> {
    const config = {
      extends: join(PROJECT, 'tsconfig.json'),
      compilerOptions: {
        typeRoots: [join(PROJECT, 'node_modules', '@types')],
        incremental: true,
        tsBuildInfoFile: './types.tsbuildinfo',
      },
      include: ['shared', 'functions'],
    };
    await mkdir(this.#folder, { recursive: true });
    await writeFile(join(this.#folder, 'tsconfig.json'), JSON.stringify(config));
    await writeFile(join(this.#folder, 'package.json'), JSON.stringify({ type: 'module' }));
    await symlink(join(PROJECT, 'node_modules'), join(this.#folder, 'node_modules')).catch(() => undefined);
    for (const [path, text] of this.#files) await this.#write(path, text);
    if (!(await this.#passes())) throw new Error('the code does not compile as it is');
  }

  async #compile({ path, text }: Replaced): Promise<boolean> {
    await this.#write(path, text);
    try {
      return await this.#passes();
    } finally {
      await this.#write(path, this.#files.get(path) ?? '');
    }
  }

  async #write(path: string, text: string): Promise<void> {
    const to = join(this.#folder, path);
    await mkdir(dirname(to), { recursive: true });
    await writeFile(to, text);
  }

  async #passes(): Promise<boolean> {
    return run(process.execPath, [TSC, '-p', this.#folder], { timeout: TIMEOUT_MS }).then(
      () => true,
      (error: unknown) => {
        // What it says of types, it says there; anything else is no verdict.
        if (error instanceof Error && 'stdout' in error && /error TS\d+/u.test(String(error.stdout)))
          return false;
        throw error;
      },
    );
  }
}
