// Pushes the branch that update.js made, and opens or changes its pull request. Runs git and gh, and nothing of the
// project.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const { AUTHSMITH_BRANCH = 'create-authsmith/update', RUNNER_TEMP = '' } = process.env
const PROPOSAL = join(RUNNER_TEMP, 'create-authsmith.json')
const EMAIL = 'create-authsmith@users.noreply.github.com'
const REMOTE = `refs/remotes/origin/${AUTHSMITH_BRANCH}`

// The project's code ran in this repository, and could have left hooks that would see the token.
const SAFE = ['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false', '-c', 'credential.helper=']
const git = (...args) =>
  execFileSync('git', [...SAFE, '-c', 'credential.helper=!gh auth git-credential', ...args], {
    encoding: 'utf8',
  }).trim()
const gh = (args, input = '') => execFileSync('gh', args, { encoding: 'utf8', input }).trim()

if (existsSync(PROPOSAL)) propose(JSON.parse(readFileSync(PROPOSAL, 'utf8')))

function propose({ base, title, body, comments }) {
  const pushed = pushedCommit()
  if (pushed && git('log', '-1', '--format=%ce', REMOTE) !== EMAIL) {
    console.log(`${AUTHSMITH_BRANCH} has commits of others. Merge or delete it to get the next update.`)
    return
  }
  git(
    'push',
    '--quiet',
    `--force-with-lease=${AUTHSMITH_BRANCH}:${pushed}`,
    'origin',
    `HEAD:refs/heads/${AUTHSMITH_BRANCH}`,
  )
  const open = JSON.parse(
    gh(['pr', 'list', '--head', AUTHSMITH_BRANCH, '--state', 'open', '--json', 'number']),
  )
  const text = ['--title', title, '--body-file', '-']
  if (open.length > 0) gh(['pr', 'edit', String(open[0].number), ...text], body)
  else gh(['pr', 'create', '--head', AUTHSMITH_BRANCH, ...(base ? ['--base', base] : []), ...text], body)
  comment(comments)
}

/** The commit of the branch at the origin, which is fetched; empty if there is none. */
function pushedCommit() {
  const [commit = ''] = git('ls-remote', 'origin', `refs/heads/${AUTHSMITH_BRANCH}`).split('\t')
  if (commit) git('fetch', '--quiet', 'origin', `+refs/heads/${AUTHSMITH_BRANCH}:${REMOTE}`)
  return commit
}

/** Adds the comments that the pull request does not have from an earlier run. */
function comment(comments) {
  if (comments.length === 0) return
  const { comments: present } = JSON.parse(gh(['pr', 'view', AUTHSMITH_BRANCH, '--json', 'comments']))
  for (const text of comments) {
    const mark = `<!-- create-authsmith ${createHash('sha256').update(text).digest('hex').slice(0, 16)} -->`
    if (present.some(({ body }) => body.includes(mark))) continue
    gh(['pr', 'comment', AUTHSMITH_BRANCH, '--body-file', '-'], `${text}\n${mark}\n`)
  }
}
