//go:build !race

package installer_test

const raceDetector = false
