/* circles_test.cpp - scripts/check_circles.sh finds files that call each other in a circle. */
#include "tests/style/checkout_fixture.h"

class Circles : public Checkout
{
  protected:
    void SetUp() override
    {
        Checkout::SetUp();
        ASSERT_EQ(shell("mkdir -p build/models/x/CMakeFiles/x.dir build/sim").status, 0);
    }

    /* Compiles a source of models/x. */
    void compile(const std::string &name, const std::string &text) const
    {
        write("checkout/" + name + ".c", text);
        const finished done =
            shell("cc -c " + name + ".c -o build/models/x/CMakeFiles/x.dir/" + name + ".c.o");
        ASSERT_EQ(done.status, 0) << done.err;
    }

    /* Two files that use each other, and one apart. */
    void compile_a_circle() const
    {
        compile("one", "void two(void); void one(void) { two(); }");
        compile("two", "void one(void); void two(void) { one(); }");
        compile("apart", "void one(void); void apart(void) { one(); }");
    }

    /* What the script says of these files in its list of known ones, which stands before its own.
     */
    finished with_known(const std::string &files) const
    {
        return shell("sed -i \"s|^known='|&" + files +
                     " |\" scripts/check_circles.sh && "
                     "scripts/check_circles.sh build");
    }
};

TEST_F(Circles, AreNoneWhereFilesUseThoseBelow)
{
    compile("top", "void middle(void); void bottom(void); void top(void) { middle(); bottom(); }");
    compile("middle", "void bottom(void); void middle(void) { bottom(); }");
    compile("bottom", "void puts_it(void); void bottom(void) { puts_it(); }");
    const finished done = shell("scripts/check_circles.sh build");
    EXPECT_EQ(done.status, 0) << done.out << done.err;
    EXPECT_EQ(done.out + done.err, "");
}

TEST_F(Circles, AreNamedWithWhatIsUsed)
{
    compile("top", "void one(void); void top(void) { one(); }");
    compile("one", "void two(void); void one(void) { two(); }");
    compile("two", "extern int three; void two(void) { three++; }");
    compile("three",
            "void one(void); void bottom(void); int three; void by(void) { one(); bottom(); }");
    compile("bottom", "void bottom(void) { }");
    const finished done = shell("scripts/check_circles.sh build");
    EXPECT_EQ(done.status, 1);
    EXPECT_EQ(done.out, "in a circle: models/x/one.c uses two of models/x/two.c\n"
                        "in a circle: models/x/three.c uses one of models/x/one.c\n"
                        "in a circle: models/x/two.c uses three of models/x/three.c\n");
}

TEST_F(Circles, AreNotLookedForInAnEmptyBuild)
{
    const finished done = shell("scripts/check_circles.sh build");
    EXPECT_EQ(done.status, 2);
    EXPECT_EQ(done.out, "check_circles.sh: no object files: build first\n");
}

TEST_F(Circles, MayBeKnown)
{
    compile_a_circle();
    const finished done = with_known("models/x/one.c models/x/two.c");
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(done.out + done.err, "");
}

TEST_F(Circles, AreNoLongerKnownOnceAFileHasLeftThem)
{
    compile_a_circle();
    const finished done = with_known("models/x/one.c models/x/two.c models/x/apart.c");
    EXPECT_EQ(done.status, 1);
    EXPECT_EQ(done.out, "no longer in a circle, so not to be listed in check_circles.sh: "
                        "models/x/apart.c\n");
}

TEST_F(Circles, AreKnownOfFilesThatThisBuildLacks)
{
    compile_a_circle();
    const finished done = with_known("models/x/one.c models/x/two.c models/x/absent.c");
    EXPECT_EQ(done.status, 0) << done.out << done.err;
}
