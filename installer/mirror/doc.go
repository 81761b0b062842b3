// Package mirror fills mirrors: it brings providers from any source into any target, verified, and removes what nobody asks
// for any more.
//
// A [Builder] joins an [installer.Installer], whose source and policy it uses, with a [sources.Target]: a directory, OCI
// registries, a bundle. A [Plan] says what is to be there. [Builder.Build] brings it, [Builder.Prune] removes the rest.
//
// # Plans
//
// A plan is a list of wants, each for versions of one provider and for platforms. Plans come from requirements
// ([ForRequirements]), from root modules ([ForModules]), from dependency lock files ([ForLocks], [ForLockFiles]), and from
// plan files ([ReadPlan]); [Plan.And] joins them. Wants of the same provider do not restrict each other: the mirror has what
// each of them asks for. Of a version that several ask for it has the platforms of all.
//
// Which versions meet constraints, prereleases included, is the business of [sources.Constraints]. Versions of which the source
// lists only plugin protocols that no client speaks any more are passed over. Nothing else is: a version without a package for
// one of the platforms is still the newest, and what it lacks is a failure, unless the want is [Want.Optional].
//
// # Plan files
//
// A plan file is HCL native syntax (https://github.com/hashicorp/hcl/blob/main/hclsyntax/spec.md), in UTF-8:
//
//	platforms = ["linux_amd64", "darwin_arm64"]
//
//	provider "hashicorp/aws" {
//	  versions = "~> 5.0"
//	  latest   = 3
//	}
//
//	provider "registry.example.com/acme/rocket" {
//	  all       = true
//	  platforms = ["linux_amd64"]
//	  optional  = true
//	}
//
// The label of a block "provider" is a source address. Its arguments are the fields of a [Want]: "versions" are constraints, by
// default none; "latest" is how many of the versions that meet them, the newest ones, by default one, and "all" is for all of
// them; "platforms" replaces the list that stands outside of the blocks, whose default is the platform of the process;
// "optional" is for versions that lack some of them. There can be several blocks for one provider. All values are literals, a
// file has at most [MaxPlanBytes] bytes, and anything else in it is an error.
//
// # Building
//
// Versions are worked on side by side, in the order of addresses, the newest first. Of each, the target is asked what it has
// ([sources.Target.Stored]); that is compared with what the source vouches for, and is not fetched where both agree. The other
// packages are fetched and verified as by [installer.Installer.Fetch], [Builder.Parallel] at a time over the whole build, and
// published with one [sources.Target.Push] and with the origin's signed checksums. So building twice downloads nothing the
// second time, and a build that was cut off is completed by repeating it. Archives leave the scratch directory when their version
// is published: it never holds more than those of [Builder.Parallel] versions.
//
// A package that fails does not keep the others of its version back, nor other versions: a version of which some packages are
// refused is published without them, and completed by a later build. Each failure is in the [*Error], and the [Report] has what
// is there.
//
// # What is refused
//
// Nothing is published that the installer does not accept: a hash or a signature that is wrong, a policy that is not met. A
// lock file's hashes bind the packages of the wants that came from it, for all their platforms; they do not say which platform
// they are for ([hashing.Judge]).
//
// A package that the target has, and that is not the one that the source vouches for, is fetched and offered to the target. That
// replaces what was damaged, where the target can tell, and leaves in its place what was published as another package: a
// released package does not change, and the failure is a [*sources.ConflictError]. The same is done where a policy asks for a
// signature, or a lock file has only hashes of contents, and what the source says of the archive does not settle the matter;
// but what a directory has is read again for hashes of contents, and not fetched ([Readable]).
// Where a source vouches for no hash of archives, as directories without the origin's signature, what is there stays and
// counts as unverified.
//
// All packages of a version that has signed checksums must be covered by them. Of packages that come with different ones, those
// of the first platform are published, and what they do not cover is refused with a [*sources.StatementError]. A mirror
// that lacks the signature, or an index, of packages that are all there gets it from the next build.
//
// # Pruning
//
// [Builder.Prune] resolves the plan as Build does and removes what is not among its packages, from targets that can say what
// they have ([Prunable]); [Builder.Surplus] only says what that would be. If anything that the plan asks for cannot be found
// out, nothing is removed. What the source answers is believed: if it lists only old versions, newer ones are surplus.
package mirror
