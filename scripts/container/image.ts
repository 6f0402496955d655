/** Builds images with buildah, in a storage of its own. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { outputOf } from '../processes.ts';

/** What the image says about how it is to be run. */
export interface ImageConfig {
  readonly User?: string;
  readonly Entrypoint?: readonly string[];
  readonly WorkingDir?: string;
  readonly Env?: readonly string[];
  readonly Labels?: Readonly<Record<string, string>>;
}

export interface BuildOptions {
  readonly containerfile: string;
  /** The folder with the files to copy. */
  readonly context: string;
  readonly version: string;
  readonly revision: string;
  /** Time of all files and of the image, in seconds since 1970. */
  readonly timestamp: number;
}

/** A container that is made of an image, and not started. */
export interface Container {
  /** Its root file system, as a folder of this machine. */
  readonly root: string;
  /** Runs a program in it as the image's user, with buildah. @returns what it wrote to stdout */
  run(words: readonly string[]): string;
}

export interface Storage {
  /** Builds an image. @returns its id, which depends on the contents alone */
  build(options: BuildOptions): string;
  configOf(image: string): ImageConfig;
  container(image: string): Container;
  /** Writes an image to an archive in the format of the Open Container Initiative. @param name name and tag in the archive */
  save(image: string, archive: string, name: string): void;
  /** Removes the containers; the images go with the folder. */
  close: () => void;
}

/**
 * Opens a storage; images and containers of the machine's own storage are neither seen nor changed.
 * @param folder where it is kept; it is created
 */
export function openStorage(folder: string): Storage {
  const places = ['--root', join(folder, 'root'), '--runroot', join(folder, 'run'), '--storage-driver', 'vfs'];
  const buildah = (...words: readonly string[]) =>
    outputOf('buildah', [...places, ...words], { title: `buildah ${words[0] ?? ''}` }).trim();
  const containers: string[] = [];
  return {
    build: (options) => buildah(...buildWords(options)),
    configOf: (image) => {
      const about = JSON.parse(buildah('inspect', '--type', 'image', image)) as {
        readonly OCIv1: { readonly config: ImageConfig };
      };
      return about.OCIv1.config;
    },
    container: (image) => {
      const name = buildah('from', '--pull-never', image);
      containers.push(name);
      return {
        root: buildah('mount', name),
        run: (words) => buildah('run', '--isolation', 'chroot', name, '--', ...words),
      };
    },
    save: (image, archive, name) => {
      rmSync(archive, { force: true });
      buildah('push', '--quiet', image, `oci-archive:${archive}:${name}`);
    },
    close: () => {
      for (const name of containers) buildah('umount', name);
      if (containers.length > 0) buildah('rm', ...containers);
    },
  };
}

function buildWords({ containerfile, context, version, revision, timestamp }: BuildOptions): string[] {
  return [
    ...['build', '--quiet', '--isolation', 'chroot', '--file', containerfile],
    ...['--build-arg', `VERSION=${version}`, '--build-arg', `REVISION=${revision}`],
    // A layer for each copy; times and labels that depend on the sources alone.
    ...['--layers', '--no-cache', '--timestamp', String(timestamp), '--identity-label=false'],
    context,
  ];
}
