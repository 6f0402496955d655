/** `npm run container`: stages, builds, checks and writes the image. */
import { cpSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Check, runChecks } from '../checks.ts';
import { isInstalled, outputOf } from '../processes.ts';
import { scratchFolder } from '../scratch-folder.ts';
import { type BuildOptions, openStorage, type Storage } from './image.ts';
import { imageChecks } from './image-checks.ts';
import { imageFiles, megabytes, sizeTable } from './size.ts';
import { stage } from './stage.ts';

interface Done {
  /** Exit code. */
  readonly code: number;
  /** The section of docs/benchmarks.md with the sizes, if the image was built. */
  readonly section?: string;
}

/** Programs that build and run the image. */
const PROGRAMS: readonly string[] = ['buildah', 'unshare', 'setpriv', 'ldd', 'tar'];

/** Builds the image and prints what was found. @param stageOnly whether only the build context is prepared */
export async function main(root: string, stageOnly: boolean): Promise<Done> {
  const reason = cannotRun(stageOnly);
  if (reason !== undefined) {
    console.log(`Skipped: ${reason}`);
    return { code: 0 };
  }
  const context = join(root, 'dist', 'container');
  const folder = scratchFolder('container');
  stage(root, context, join(folder, 'package'));
  if (stageOnly) {
    console.log('dist/container has what Containerfile copies.');
    return { code: 0 };
  }
  const storage = openStorage(join(folder, 'storage'));
  process.prependOnceListener('exit', storage.close);
  return buildAndCheck(storage, root, context, folder);
}

/** Says why the image cannot be built here. */
function cannotRun(stageOnly: boolean): string | undefined {
  if (process.platform !== 'linux') return 'Node and its libraries are copied from a Linux system, which this is not.';
  const missing = PROGRAMS.filter((name) => !(stageOnly && name === 'buildah') && !isInstalled(name));
  if (missing.length > 0) return `${missing.join(', ')} is not installed (apt-get install buildah util-linux).`;
  if (!stageOnly && process.getuid?.() !== 0)
    return 'Only root can build and run it; -- --stage prepares it for others.';
  return undefined;
}

async function buildAndCheck(storage: Storage, root: string, context: string, folder: string): Promise<Done> {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const git = (...words: readonly string[]) => outputOf('git', words, { cwd: root }).trim();
  const options: BuildOptions = {
    containerfile: join(root, 'Containerfile'),
    context,
    version,
    revision: git('rev-parse', 'HEAD'),
    timestamp: Number(git('log', '-1', '--format=%ct')),
  };
  const image = storage.build(options);
  const container = storage.container(image);
  const files = imageFiles(container.root);
  const sandbox = { root: container.root, config: storage.configOf(image) };
  const checks = [
    ...imageChecks({ sandbox, container, files, version, folder }),
    reproducible(storage, image, options, join(folder, 'context')),
  ];
  const passed = await runChecks(checks, (line) => console.log(line));
  const archive = join('dist', 'container', `aisec-${version}.tar`);
  storage.save(image, join(root, archive), `aisec:${version}`);
  const compressed = statSync(join(root, archive)).size;
  const table = sizeTable(files);
  console.log(`\n${table}\n\n${archive}: ${megabytes(compressed)} MB, for podman load and skopeo copy.`);
  return { code: passed ? 0 : 1, section: sectionOf(table, compressed) };
}

/** Builds again from a copy of the context, whose files have other times. */
function reproducible(storage: Storage, image: string, options: BuildOptions, copy: string): Check {
  const again = () => {
    cpSync(options.context, copy, { recursive: true });
    return storage.build({ ...options, context: copy });
  };
  return {
    title: 'Reproducible',
    run: () =>
      image === again()
        ? `sha256:${image}`
        : { found: 'A second build has other contents.', remedy: 'Compare the layers of both.' },
  };
}

function sectionOf(table: string, compressed: number): string {
  return `## Container image

Written by \`npm run container -- --record\` on linux ${process.arch} with Node ${process.version}. Sizes are those of the files; the archive, whose
layers are compressed, has ${megabytes(compressed)} MB.

${table}`;
}
